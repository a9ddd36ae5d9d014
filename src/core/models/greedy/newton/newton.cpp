#include "models/greedy/newton/newton.h"

#include <algorithm>
#include <cmath>

namespace gpsieve {
namespace {

constexpr Index kKeptNumbers = Index{1} << 22;  // of residual columns: 32 MB
// A row waits if its function explains more of another row than this many times its own pivot,
// theory.md (20').
constexpr double kMostGrowth = 10.0;

// max_i |q_i| / q_j for the residual column q of row j, in units of the prior's standard deviations
// at the rows.
double growth(VectorIn column, Index j, VectorIn variances) {
  const auto known =
      (variances.array() > 0.0).select(column.array() / variances.array().sqrt(), 0.0);
  return known.abs().maxCoeff() * std::sqrt(variances(j)) / column(j);
}

}  // namespace

GreedyNewton::GreedyNewton(const BoundKernel& kernel, const Likelihood& likelihood, MatrixIn y,
                           double prior_mean, Index capacity, const CaseTerms& cases)
    : basis_(kernel, capacity),
      state_(likelihood, y, prior_mean, cases),
      residual_kernel_(basis_.diagonal()) {}

bool GreedyNewton::in_span(Index j) const { return basis_.in_span(j, residual_kernel_(j)); }

// With the residual columns q = k_j - Z Z_j', unscaled: q'c1, q'W q and Z'W q of every candidate.
struct GreedyNewton::CandidateSums {
  CandidateSums(Index m, Index c, double* numbers)
      : across(numbers, m, c), slopes(numbers + m * c, c), curvatures(numbers + (m + 1) * c, c) {}
  Eigen::Map<Matrix> across;
  Eigen::Map<Vector> slopes, curvatures;
};

Vector GreedyNewton::gains(const Indices& candidates, const Context& ctx) {
  columns_of_ = {};
  return in_groups(candidates, [&](const Indices& some) { return gains_of(some, ctx); });
}

// Slope q'c1, curvature q_j + q'W q - |chol(H)^-1 Z'W q|^2, theory.md (20). H and W = diag(c2) are
// those of the last factorisation: the old and the new curvature must not be mixed.
Vector GreedyNewton::gains_of(const Indices& candidates, const Context& ctx) {
  const Index c = static_cast<Index>(candidates.size()), m = size();
  Matrix rows(m, c);
  for (Index t = 0; t < c; ++t) rows.col(t) = basis_.row(candidates[t]);
  const bool keep = c * basis_.rows() <= kKeptNumbers;
  if (keep) residual_columns_.resize(basis_.rows(), c);
  Vector numbers = basis_.sum_over_kernel_rows(
      candidates, (m + 2) * c, static_cast<double>(c * (2 * m + 4)), ctx,
      [&](Index begin, MatrixOut block, VectorOut sums) {
        CandidateSums of(m, c, sums.data());
        const Index count = block.rows();
        const auto z = basis_.columns().middleRows(begin, count);
        const auto curvature = state_.factored_curvature().segment(begin, count).array();
        if (m > 0) gemm(-1.0, z, Op::plain, rows, Op::plain, 1.0, block);
        if (keep) residual_columns_.middleRows(begin, count) = block;
        gemv(1.0, block, Op::transposed, state_.slope().segment(begin, count), 0.0, of.slopes);
        ScratchMatrix weighted(count, c);
        weighted = block.array().colwise() * curvature;
        column_dots(block, weighted, of.curvatures);
        if (m > 0) gemm(1.0, z, Op::transposed, weighted, Op::plain, 0.0, of.across);
      });
  if (keep) columns_of_ = candidates;
  CandidateSums of(m, c, numbers.data());
  require_finite_kernel(of.curvatures, &candidates);
  if (m > 0) trsm(Side::left, Triangle::lower, Op::plain, state_.factor(), of.across);
  Vector explained(c), gains(c);
  column_squared_norms(of.across, explained);
  for (Index t = 0; t < c; ++t) {
    const Index j = candidates[t];
    const double curvature = residual_kernel_(j) + of.curvatures(t) - explained(t);
    gains(t) = in_span(j) ? -1.0 : 0.5 * of.slopes(t) * of.slopes(t) / curvature;
  }
  return gains;
}

Vector GreedyNewton::pivot_scores() const {
  Vector scores = residual_kernel_.cwiseProduct(state_.slope().cwiseAbs2());
  for (Index j = 0; j < scores.size(); ++j)
    if (in_span(j)) scores(j) = -1.0;
  return scores;
}

// k_j - Z Z_j', which gains() has computed if it judged j last.
Vector GreedyNewton::residual_column(Index j, VectorIn w, const Context& ctx) const {
  const auto known = std::find(columns_of_.begin(), columns_of_.end(), j);
  if (known == columns_of_.end()) return basis_.kernel_column(j, w, ctx);
  return residual_columns_.col(known - columns_of_.begin());
}

bool GreedyNewton::add(Index j, const Context& ctx) {
  if (in_span(j)) return false;
  const Vector w = basis_.row(j);
  Vector column = residual_column(j, w, ctx);
  // On the rows of the basis the column is known exactly: 0 but for row j.
  for (const Index i : basis_.chosen()) column(i) = 0.0;
  column(j) = residual_kernel_(j);
  if (growth(column, j, basis_.diagonal()) > kMostGrowth) return false;
  columns_of_ = {};
  basis_.append(j, column, w, std::sqrt(residual_kernel_(j)));
  residual_kernel_ = basis_.reduced(residual_kernel_);
  state_.extend();
  return true;
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
