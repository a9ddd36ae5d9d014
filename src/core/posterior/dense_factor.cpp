#include "posterior/dense_factor.h"

#include "base/large_pages.h"
#include "kernel/gram_blocks.h"
#include "linalg/cholesky.h"

namespace gpsieve {

void dense_factor(const Kernel& kernel, Points points, const Vector& scale, MatrixOut factor,
                  const Context& ctx) {
  const Index n = points.cols();
  lower_gram(kernel, points, factor, ctx);
  for (Index j = 0; j < n; ++j) {
    auto column = factor.col(j).tail(n - j);
    column = scale(j) * column.cwiseProduct(scale.tail(n - j));
    column(0) += 1.0;
  }
  cholesky_in_place(factor, ctx.threads, ctx.poll);
}

void make_factors(const Kernel& kernel, Points basis, std::vector<SparsePosterior>& posteriors,
                  const Context& ctx) {
  for (SparsePosterior& posterior : posteriors) {
    if (posterior.dense_scale.size() == 0) continue;
    const Index n = posterior.dense_scale.size();
    Matrix points(basis.rows(), n);
    for (Index i = 0; i < n; ++i) points.col(i) = basis.col(posterior.basis[i]);
    posterior.down = {large_zero_matrix(n, n), posterior.dense_scale};
    dense_factor(kernel, points, posterior.dense_scale, posterior.down.factor, ctx);
    posterior.down.factor.triangularView<Eigen::StrictlyUpper>().setZero();
    posterior.dense_scale.resize(0);
  }
}

}  // namespace gpsieve
