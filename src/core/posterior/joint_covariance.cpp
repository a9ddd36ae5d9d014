#include "posterior/joint_covariance.h"

#include <algorithm>

#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr Index kColumnsPerPoll = 512;  // columns of a product between two chances to interrupt
constexpr double kDrawJitter = 1e-12;

// covariance += sign a'b, lower triangle, a strip of columns at a time.
void add_product(double sign, MatrixIn a, MatrixIn b, Matrix& covariance, const Context& ctx) {
  const Index n = covariance.rows();
  for (Index first = 0; first < n; first += kColumnsPerPoll) {
    const Index count = std::min(kColumnsPerPoll, n - first), below = n - first;
    gemm(sign, a.rightCols(below), Op::transposed, b.middleCols(first, count), Op::plain, 1.0,
         covariance.block(first, first, below, count), ctx.threads);
    ctx.report(static_cast<double>(first + count) / static_cast<double>(n), first + count);
  }
}

void add_squared_map(double sign, const TriangularMap& map, const Matrix& k, Matrix& covariance,
                     const Context& ctx) {
  if (map.empty()) return;
  Matrix mapped = k;
  map.apply(mapped);
  add_product(sign, mapped, mapped, covariance, ctx);
}

// + v' S v - v'v with v = W k, or + k' C k without a W.
void add_form(const SparsePosterior& posterior, const Matrix& k, Matrix& covariance,
              const Context& ctx) {
  if (posterior.form.size() == 0) return;
  Matrix v = k, mapped(k.rows(), k.cols());
  if (posterior.whitening.size() > 0) {
    gemm(1.0, posterior.whitening, Op::plain, k, Op::plain, 0.0, v, ctx.threads);
    add_product(-1.0, v, v, covariance, ctx);
  }
  gemm(1.0, posterior.form, Op::plain, v, Op::plain, 0.0, mapped, ctx.threads);
  add_product(1.0, v, mapped, covariance, ctx);
}

}  // namespace

std::vector<Matrix> joint_covariances(const Kernel& kernel, Points basis,
                                      const std::vector<SparsePosterior>& posteriors, Points x,
                                      const Context& ctx) {
  Matrix k(basis.cols(), x.cols()), prior(x.cols(), x.cols());
  kernel.cross(basis, x, k);
  kernel.gram(x, prior);
  std::vector<Matrix> out;
  for (const SparsePosterior& posterior : posteriors) {
    if (!posterior.augmentation.empty())
      throw InvalidSpec("an augmented posterior has no covariance between points");
    Matrix own(posterior.length(), k.cols());
    basis_values(posterior, k, own);
    Matrix covariance = posterior.prior_scale * prior;
    add_squared_map(-1.0, posterior.down, own, covariance, ctx);
    add_squared_map(1.0, posterior.up, own, covariance, ctx);
    add_form(posterior, own, covariance, ctx);
    if (!posterior.local.empty())
      posterior.local.condition(own, posterior.local.tree.leaves_of(x), covariance, ctx.threads);
    symmetrise_from_lower(covariance);
    // Rounding may leave a tiny negative variance where the data determine f; NaN stays NaN.
    for (Index j = 0; j < x.cols(); ++j)
      if (covariance(j, j) < 0.0) covariance(j, j) = 0.0;
    out.push_back(std::move(covariance));
  }
  return out;
}

Matrix correlated_draws(Matrix covariance, MatrixIn normal, int threads) {
  Matrix draws = normal;
  if (covariance.diagonal().isZero(0.0)) return Matrix::Zero(draws.rows(), draws.cols());
  cholesky_with_jitter(covariance, kDrawJitter, threads);
  trmm(Side::left, Triangle::lower, Op::plain, covariance, draws, threads);
  return draws;
}

}  // namespace gpsieve
