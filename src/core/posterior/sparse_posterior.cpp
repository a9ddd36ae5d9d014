#include "posterior/sparse_posterior.h"

#include <algorithm>

#include "base/parallel.h"
#include "linalg/products.h"
#include "linalg/scratch_matrix.h"

namespace gpsieve {
namespace {

constexpr Index kRows = 256;         // points predicted together: the block stays in cache
constexpr Index kBlocksPerPoll = 8;  // rows between two chances to interrupt: 2048 per thread

}  // namespace

void basis_values(const SparsePosterior& posterior, MatrixIn k, MatrixOut out) {
  const Index lead = posterior.intercept ? 1 : 0;
  const Index m = static_cast<Index>(posterior.basis.size());
  if (posterior.intercept) out.row(0).setOnes();
  for (Index j = 0; j < k.cols(); ++j)
    for (Index i = 0; i < m; ++i) out(i + lead, j) = k(posterior.basis[i], j);
}

void TriangularMap::apply(MatrixOut k) const {
  if (scale.size() > 0) k.array().colwise() *= scale.array();
  if (packed.size > 0)
    solve_packed(packed, k);
  else
    trsm(Side::left, Triangle::lower, Op::plain, factor, k);
}

void TriangularMap::squared_norms(MatrixIn k, MatrixOut work, VectorOut out) const {
  work = k;
  apply(work);
  column_squared_norms(work, out);
}

void SparsePosterior::add_form(MatrixIn k, VectorOut out) const {
  Matrix v = k, mapped(k.rows(), k.cols());
  Vector part(k.cols());
  if (whitening.size() > 0) {
    gemm(1.0, whitening, Op::plain, k, Op::plain, 0.0, v);
    column_squared_norms(v, part);
    out -= part;
  }
  gemm(1.0, form, Op::plain, v, Op::plain, 0.0, mapped);
  column_dots(v, mapped, part);
  out += part;
}

void predict_marginals(const Kernel& kernel, Points basis,
                       const std::vector<SparsePosterior>& posteriors, Points x, bool want_variance,
                       MatrixOut mean, MatrixOut variance, const Context& ctx) {
  const Index n = x.cols();
  const int threads = kernel.thread_safe() ? ctx.threads : 1;

  auto predict_block = [&](Index begin, Index end) {
    const Index rows = end - begin;
    const auto points = x.middleCols(begin, rows);
    ScratchMatrix k(basis.cols(), rows);
    Vector prior(rows), part(rows);
    kernel.cross(basis, points, k);
    if (want_variance) kernel.diagonal(points, prior);
    for (Index c = 0; c < static_cast<Index>(posteriors.size()); ++c) {
      const SparsePosterior& posterior = posteriors[c];
      ScratchMatrix own(posterior.length(), rows), work(posterior.length(), rows);
      basis_values(posterior, k, own);
      auto mu = mean.col(c).segment(begin, rows);
      mu.setConstant(posterior.prior_mean);
      gemv(1.0, own, Op::transposed, posterior.weights, 1.0, mu);
      if (!want_variance) continue;
      auto var = variance.col(c).segment(begin, rows);
      var = posterior.prior_scale * prior;
      if (!posterior.down.empty()) {
        posterior.down.squared_norms(own, work, part);
        var -= part;
      }
      if (!posterior.up.empty()) {
        posterior.up.squared_norms(own, work, part);
        var += part;
      }
      if (!posterior.augmentation.empty())
        add_augmented_variance(kernel, basis, posterior, points, own, prior, var);
      if (posterior.form.size() > 0) posterior.add_form(own, var);
      if (!posterior.local.empty())
        posterior.local.subtract(own, posterior.local.tree.leaves_of(points), var);
      // Rounding may leave a tiny negative number where the data determine f; NaN stays NaN.
      for (Index j = 0; j < rows; ++j)
        if (var(j) < 0.0) var(j) = 0.0;
    }
  };

  const Index stride = kRows * kBlocksPerPoll * std::max(1, threads);
  for (Index begin = 0; begin < n; begin += stride) {
    const Index rows = std::min(stride, n - begin);
    parallel_blocks(threads, rows, kRows,
                    [&](Index from, Index to) { predict_block(begin + from, begin + to); });
    ctx.report(static_cast<double>(begin + rows) / static_cast<double>(n), begin + rows);
  }
}

}  // namespace gpsieve
