#include "models/greedy/newton/newton.h"

#include <cmath>

namespace gpsieve {

GreedyNewton::GreedyNewton(const BoundKernel& kernel, const Likelihood& likelihood, VectorIn y,
                           double prior_mean, Index capacity, const CaseTerms& cases)
    : basis_(kernel, capacity),
      state_(likelihood, y, prior_mean, cases),
      residual_kernel_(basis_.diagonal()) {}

bool GreedyNewton::in_span(Index j) const { return basis_.in_span(j, residual_kernel_(j)); }

// With the residual column q = k_j - Z Z_j', unscaled: slope q'c1, curvature
// q_j + q'W q - |chol(H)^-1 Z'W q|^2, theory.md (20). H and W = diag(c2) are those of the last
// factorisation: the old and the new curvature must not be mixed.
Vector GreedyNewton::gains(const Indices& candidates, const Context& ctx) const {
  const Index c = static_cast<Index>(candidates.size()), m = size();
  const Vector& curvature = state_.factored_curvature();
  Matrix rows(m, c), across = Matrix::Zero(m, c), weighted, part;
  for (Index t = 0; t < c; ++t) rows.col(t) = basis_.row(candidates[t]);
  Vector slopes = Vector::Zero(c), curvatures = Vector::Zero(c);
  basis_.for_kernel_blocks(candidates, ctx, [&](Index begin, Matrix& block) {
    const auto z = basis_.columns().middleRows(begin, block.rows());
    if (m > 0) gemm(-1.0, z, Op::plain, rows, Op::plain, 1.0, block, ctx.threads);
    weighted = block.array().colwise() * curvature.segment(begin, block.rows()).array();
    gemv(1.0, block, Op::transposed, state_.slope().segment(begin, block.rows()), 1.0, slopes);
    curvatures += block.cwiseProduct(weighted).colwise().sum().transpose();
    if (m > 0) gemm(1.0, z, Op::transposed, weighted, Op::plain, 1.0, across, ctx.threads);
  });
  require_finite_kernel(curvatures, &candidates);
  if (m > 0) trsm(Side::left, Triangle::lower, Op::plain, state_.factor(), across);
  Vector gains(c);
  for (Index t = 0; t < c; ++t) {
    const Index j = candidates[t];
    const double curvature_t = residual_kernel_(j) + curvatures(t) - across.col(t).squaredNorm();
    gains(t) = in_span(j) ? -1.0 : 0.5 * slopes(t) * slopes(t) / curvature_t;
  }
  return gains;
}

Vector GreedyNewton::pivot_scores() const {
  Vector scores = residual_kernel_.cwiseProduct(state_.slope().cwiseAbs2());
  for (Index j = 0; j < scores.size(); ++j)
    if (in_span(j)) scores(j) = -1.0;
  return scores;
}

void GreedyNewton::add(Index j, const Context& ctx) {
  Vector column = basis_.kernel_column(j, ctx);
  const Vector w = basis_.row(j);
  basis_.subtract(w, column, ctx);
  // On the rows of the basis the column is known exactly: 0 but for row j.
  for (const Index i : basis_.chosen()) column(i) = 0.0;
  column(j) = residual_kernel_(j);
  basis_.append(j, column, w, std::sqrt(residual_kernel_(j)));
  residual_kernel_ = basis_.reduced(residual_kernel_);
  state_.extend();
}

void GreedyNewton::solve(double tolerance, const Context& ctx) {
  state_.solve(basis_.columns(), tolerance, ctx);
}

void GreedyNewton::finish(double tolerance, const Context& ctx) {
  state_.solve(basis_.columns(), tolerance, ctx);
  state_.polish(basis_.columns(), tolerance, ctx);
}

void GreedyNewton::border_step(const Context& ctx) { state_.border_step(basis_.columns(), ctx); }

}  // namespace gpsieve
