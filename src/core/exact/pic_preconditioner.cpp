#include "exact/pic_preconditioner.h"

#include <algorithm>
#include <utility>

#include "base/large_pages.h"
#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr double kInducingJitter = 1e-10;  // relative; rows of equal inputs make K_uu singular

Matrix rows_at(MatrixIn all, const Indices& rows) {
  Matrix out(rows.size(), all.cols());
  for (Index j = 0; j < out.cols(); ++j)
    for (Index i = 0; i < out.rows(); ++i) out(i, j) = all(rows[i], j);
  return out;
}

}  // namespace

PicPreconditioner::PicPreconditioner(const BoundKernel& kernel, VectorIn noise,
                                     const Indices& inducing, std::vector<Indices> leaves,
                                     const Context& ctx)
    : size_(kernel.size()) {
  const int threads = std::max(1, ctx.threads);
  const Vector diagonal = kernel.prior_variances() + noise;
  factor_inducing(kernel, inducing, threads);
  const Index m = variance_.inducing_size();
  Matrix& g = variance_.factor;
  g.setIdentity(m, m);
  for (Indices& rows : leaves) {
    LeafFactors leaf;
    leaf.rows = std::move(rows);
    factor_leaf(kernel, diagonal, leaf, threads);
    if (m > 0) syrk(1.0, leaf.inducing, Op::plain, 1.0, g, threads);
    variance_.leaves.push_back(std::move(leaf));
    ctx.check();
  }
  cholesky_in_place(g, threads, ctx.poll);
  g.triangularView<Eigen::StrictlyUpper>().setZero();
}

void PicPreconditioner::factor_inducing(const BoundKernel& kernel, const Indices& inducing,
                                        int threads) {
  // Covariances as those of different rows, in which noise of the kernel's own has no part.
  for (const Index row : inducing) {
    Matrix own(1, 1);
    kernel.block(&row, 1, &row, 1, own);
    if (own(0, 0) > 0.0) variance_.inducing.push_back(row);
  }
  const Index m = variance_.inducing_size();
  Matrix& factor = variance_.prior_factor;
  factor.resize(m, m);
  if (m == 0) return;
  const Index* rows = variance_.inducing.data();
  kernel.block(rows, m, rows, m, factor);
  jitter_ = cholesky_with_jitter(factor, kInducingJitter, threads);
}

void PicPreconditioner::factor_leaf(const BoundKernel& kernel, VectorIn diagonal, LeafFactors& leaf,
                                    int threads) {
  const Index m = variance_.inducing_size(), rows = static_cast<Index>(leaf.rows.size());
  leaf.inducing = large_matrix(m, rows);
  leaf.factor = large_matrix(rows, rows);
  kernel.block(leaf.rows.data(), rows, leaf.rows.data(), rows, leaf.factor);
  for (Index i = 0; i < rows; ++i) leaf.factor(i, i) = diagonal(leaf.rows[i]);
  if (m > 0) {
    kernel.block(variance_.inducing.data(), m, leaf.rows.data(), rows, leaf.inducing);
    trsm(Side::left, Triangle::lower, Op::plain, variance_.prior_factor, leaf.inducing, threads);
    syrk(-1.0, leaf.inducing, Op::transposed, 1.0, leaf.factor, threads);
  }
  leaf_jitter_ = std::max(leaf_jitter_, cholesky_with_jitter(leaf.factor, 0.0, threads));
  trsm(Side::right, Triangle::lower, Op::transposed, leaf.factor, leaf.inducing, threads);
}

void PicPreconditioner::solve(MatrixOut r, int threads) const {
  const auto& leaves = variance_.leaves;
  const Index m = inducing_size(), count = static_cast<Index>(leaves.size());
  std::vector<Matrix> own(leaves.size()), sums(leaves.size());
  parallel_blocks(threads, count, 1, [&](Index l, Index) {
    own[l] = rows_at(r, leaves[l].rows);
    trsm(Side::left, Triangle::lower, Op::plain, leaves[l].factor, own[l]);
    sums[l].resize(m, r.cols());
    gemm(1.0, leaves[l].inducing, Op::plain, own[l], Op::plain, 0.0, sums[l]);
  });
  Matrix inner = Matrix::Zero(m, r.cols());
  for (const Matrix& sum : sums) inner += sum;
  if (m > 0) cholesky_solve(variance_.factor, inner, threads);
  parallel_blocks(threads, count, 1, [&](Index l, Index) {
    if (m > 0) gemm(-1.0, leaves[l].inducing, Op::transposed, inner, Op::plain, 1.0, own[l]);
    trsm(Side::left, Triangle::lower, Op::transposed, leaves[l].factor, own[l]);
    for (Index j = 0; j < r.cols(); ++j)
      for (Index i = 0; i < own[l].rows(); ++i) r(leaves[l].rows[i], j) = own[l](i, j);
  });
}

double PicPreconditioner::log_determinant() const {
  double sum = sum_log_diagonal(variance_.factor);
  for (const LeafFactors& leaf : variance_.leaves) sum += sum_log_diagonal(leaf.factor);
  return 2.0 * sum;
}

Vector PicPreconditioner::inverse_diagonal(const Context& ctx) const {
  const int threads = std::max(1, ctx.threads);
  Vector out(size());
  for (const LeafFactors& leaf : variance_.leaves) {
    const Index rows = leaf.factor.rows();
    Vector own(rows), explained = Vector::Zero(rows);
    Matrix inverse = Matrix::Identity(rows, rows);
    trsm(Side::left, Triangle::lower, Op::plain, leaf.factor, inverse, threads);
    column_squared_norms(inverse, own);
    if (inducing_size() > 0) {
      Matrix shared = leaf.inducing;
      trsm(Side::right, Triangle::lower, Op::plain, leaf.factor, shared, threads);
      trsm(Side::left, Triangle::lower, Op::plain, variance_.factor, shared, threads);
      column_squared_norms(shared, explained);
    }
    for (Index i = 0; i < rows; ++i) out(leaf.rows[i]) = own(i) - explained(i);
    ctx.check();
  }
  return out;
}

Matrix PicPreconditioner::draws(MatrixIn normal) const {
  const Index m = inducing_size();
  Matrix out(size(), normal.cols());
  for (const LeafFactors& leaf : variance_.leaves) {
    Matrix own = rows_at(normal.bottomRows(size()), leaf.rows);
    if (m > 0) gemm(1.0, leaf.inducing, Op::transposed, normal.topRows(m), Op::plain, 1.0, own);
    trmm(Side::left, Triangle::lower, Op::plain, leaf.factor, own);
    for (Index j = 0; j < out.cols(); ++j)
      for (Index i = 0; i < own.rows(); ++i) out(leaf.rows[i], j) = own(i, j);
  }
  return out;
}

}  // namespace gpsieve
