#include "models/meanfield/cavities.h"

#include <algorithm>
#include <cmath>

#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "models/meanfield/inverse.h"

namespace gpsieve {
namespace {

constexpr Index kCavityColumns = 128;  // columns of such rows that are solved together
// Bound of the cavity variance of a row of weight below 1, over that without the row.
constexpr double kLargestRise = 1e6;

double tail_square(MatrixIn lower, Index j) {
  return lower.col(j).tail(lower.rows() - j).squaredNorm();
}

// V_i = K_ii - |L^-1 W^1/2 k_i|^2 for the given rows; the solver holds L^-1.
Vector variances_by_column(const FieldSolver& solver, const Indices& rows, const Context& ctx) {
  MatrixIn k = solver.problem().k;
  const Index n = k.cols(), count = static_cast<Index>(rows.size());
  Vector out(count);
  Matrix block(n, std::min(kCavityColumns, count));
  for (Index begin = 0; begin < count; begin += kCavityColumns) {
    const Index columns = std::min(kCavityColumns, count - begin);
    auto current = block.leftCols(columns);
    for (Index j = 0; j < columns; ++j)
      current.col(j) = solver.root().cwiseProduct(k.col(rows[begin + j]));
    trmm(Side::left, Triangle::lower, Op::plain, solver.work(), current, ctx.threads);
    auto part = out.segment(begin, columns);
    column_squared_norms(current, part);
    for (Index j = 0; j < columns; ++j) part(j) = k(rows[begin + j], rows[begin + j]) - part(j);
    ctx.check();
  }
  return out;
}

}  // namespace

bool is_cancelled(double scaled) {
  constexpr double kLost = 1e-5;
  return !(scaled > kLost);
}

double without_site(double variance, double precision) {
  return variance / std::max(1.0 - precision * variance, 1e-16);
}

// Leaving out more than there is, a whole copy of a row of weight below 1, may raise the variance
// above that of the prior.
double without_one_copy(double variance, double copies, double precision, double prior) {
  const double all = std::min(std::max(variance, 0.0), prior);
  const double others = 1.0 + (copies - 1.0) * precision * all;
  return all / (copies < 1.0 ? std::max(others, 1.0 / kLargestRise) : others);
}

Vector matching_cavities(FieldSolver& solver, const Context& ctx) {
  solver.invert();
  MatrixIn k = solver.problem().k;
  const Index n = k.cols();
  const Vector ratio = solver.variance_ratio(), curvature = solver.root().cwiseAbs2();
  const Vector& w = solver.problem().copies;
  Vector cavity(n);
  Indices cancelled;
  for (Index i = 0; i < n; ++i) {
    const double scaled = 1.0 / tail_square(solver.work(), i) - ratio(i);
    cavity(i) = scaled / curvature(i);
    if (is_cancelled(scaled)) cancelled.push_back(i);
  }
  const Vector variance = variances_by_column(solver, cancelled, ctx);
  for (std::size_t j = 0; j < cancelled.size(); ++j) {
    const Index i = cancelled[j];
    cavity(i) = without_site(variance(j), curvature(i) / ratio(i));
  }
  for (Index i = 0; i < n; ++i)
    cavity(i) = without_one_copy(cavity(i), w(i), curvature(i) / w(i) / ratio(i), k(i, i));
  return cavity;
}

Vector largest_cavities(const FieldProblem& problem) {
  const Vector prior = problem.k.diagonal();
  return (problem.copies.array() < 1.0).select(kLargestRise * prior, prior);
}

Vector response_variances(const FieldSolver& solver, const Vector& matching) {
  const Vector precision = solver.root()
                               .cwiseAbs2()
                               .cwiseQuotient(solver.problem().copies)
                               .cwiseQuotient(solver.variance_ratio());
  return matching.array() / (1.0 + precision.array() * matching.array());
}

void factor_with_noise(MatrixIn k, double noise, const Vector& w, MatrixOut work,
                       const Context& ctx) {
  work = k;
  work.diagonal().array() += noise / w.array();
  cholesky_in_place(work, ctx.threads, ctx.poll);
}

// theory.md (11) and (12); with case weights (27) and (28).
Vector ensemble_cavities(MatrixIn k, double noise, const Vector& w, MatrixOut work,
                         double& half_log_det, const Context& ctx) {
  factor_with_noise(k, noise, w, work, ctx);
  half_log_det = sum_log_diagonal(work);
  invert_lower_in_place(work, ctx.threads, ctx.poll);
  Vector cavity(k.cols());
  for (Index i = 0; i < cavity.size(); ++i) {
    const double own = noise / w(i);
    const double all = std::clamp(1.0 / tail_square(work, i), own, own + k(i, i));
    const double others = 1.0 + (w(i) - 1.0) * (all - own) / noise;
    half_log_det += 0.5 * (w(i) * std::log(noise) - std::log(own));
    half_log_det -= 0.5 * w(i) * std::log(all * (w(i) / others));
    cavity(i) = (all - own) / others;
  }
  return cavity;
}

}  // namespace gpsieve
