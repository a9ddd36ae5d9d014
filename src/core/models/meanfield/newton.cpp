// How FieldSolver solves the mean-field equations (theory.md#newtons-method).
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "linalg/products.h"
#include "math/constants.h"
#include "models/meanfield/fields.h"

namespace gpsieve {
namespace {

constexpr double kSmallestStep = 1e-4;
constexpr double kSmallestConvexStep = 1e-9;  // exp(f) may overflow for much of the full step
constexpr double kArmijo = 1e-4;
constexpr double kSufficient = 0.2;  // share of the full decrease a step must achieve
constexpr double kContraction =
    1.0 / 16.0;                     // of the squared residual that a chord step must achieve
constexpr double kRoundings = 4.0;  // units of rounding in K u that count as solved
constexpr int kSweeps = 5;          // of coordinate ascent after a failed Newton step
constexpr Index kTermsPerPoll = 64;

}  // namespace

bool FieldSolver::solve(double tolerance, int max_steps) {
  bool restarted = false;
  std::optional<FieldPoint> best;  // of those where a Newton step failed
  for (int step = 0;;) {
    if (point_.residual <= tolerance * point_.slope_scale) return true;
    if (holds_ != Work::unused && chord_step()) continue;
    if (step++ >= max_steps) break;
    if (newton_step()) continue;
    if (point_.residual <= rounding()) return true;
    if (!best || is_better_than(*best)) best = point_;
    if (!restarted && independent_start()) {
      restarted = true;
      continue;
    }
    restarted = true;
    // The new weights of some rows may give the others means that overflow.
    coordinate_ascent(kSweeps);
    if (!std::isfinite(point_.residual)) break;
  }
  if (best && !is_better_than(*best)) std::swap(point_, *best);
  if (!std::isfinite(point_.residual))
    throw NumericalFailure("the mean-field equations have no finite value where they were solved");
  return point_.residual <= std::max(tolerance * point_.slope_scale, rounding());
}

// The residual that rounding errors in K u cause. It is above the tolerance where the prior
// variance is many times the noise variance, so that large weights of both signs cancel in K u.
double FieldSolver::rounding() const {
  const double products =
      problem_.k.diagonal().maxCoeff() * problem_.copies.cwiseProduct(point_.weights).norm();
  const double gain = scale_.cwiseProduct(point_.curvature).maxCoeff();
  return kRoundings * kEpsilon * (products * gain + point_.slope_scale);
}

// theory.md (16), with case weights (26)
Vector FieldSolver::newton_target() {
  factor();
  Vector target = problem_.copies.cwiseProduct(point_.slope).cwiseQuotient(root_) +
                  root_.cwiseProduct(point_.mean);
  apply_inverse(target);
  return root_.cwiseProduct(target).cwiseQuotient(problem_.copies);
}

bool FieldSolver::newton_step() {
  if (!std::isfinite(point_.residual)) return false;
  const Vector move = newton_target() - point_.weights;
  const Vector mean_move = cavity_means(move);
  const double before = point_.residual * point_.residual;
  // With s = 0 the energy is convex in the fields: a step that lowers it enough is accepted even if
  // the residual rises.
  const bool convex = s_.isZero(0.0);
  const double start = energy(point_);
  const double descent = problem_.copies.cwiseProduct(point_.weights - point_.slope).dot(mean_move);
  FieldPoint next;
  const double smallest = convex ? kSmallestConvexStep : kSmallestStep;
  for (double share = 1.0; share >= smallest; share *= 0.5) {
    next.weights = point_.weights + share * move;
    next.mean = point_.mean + share * mean_move;
    evaluate(next);
    const bool lower = convex && energy(next) <= start + kArmijo * share * descent;
    if (std::isfinite(next.residual) &&
        (lower || next.residual * next.residual < before * (1.0 - kSufficient * share))) {
      std::swap(point_, next);
      return true;
    }
  }
  return false;
}

// The Newton step with B of an earlier point, taken only if it reduces the residual enough.
bool FieldSolver::chord_step() {
  const Vector& w = problem_.copies;
  Vector move = w.cwiseProduct(point_.weights - point_.slope).cwiseQuotient(root_);
  apply_inverse(move);
  move = -root_.cwiseProduct(move).cwiseQuotient(w);
  FieldPoint next;
  next.weights = point_.weights + move;
  next.mean = cavity_means(next.weights);
  evaluate(next);
  if (!(next.residual * next.residual < kContraction * point_.residual * point_.residual))
    return false;
  std::swap(point_, next);
  return true;
}

void FieldSolver::start_from_means(const Vector& mean) {
  point_.mean = mean;
  point_.weights.setZero();
  evaluate(point_);
  if (std::isfinite(point_.residual)) start_from(newton_target());
}

// The Newton step from the fields that solve the equations with K diagonal. For large counts these
// are near their logarithms, which no Newton step from zero reaches.
bool FieldSolver::independent_start() {
  FieldPoint before = point_;
  const Vector difference = problem_.copies.cwiseProduct(problem_.k.diagonal()) - s_;
  Vector fields(difference.size());
  for (Index i = 0; i < difference.size(); ++i)
    fields(i) = std::max(0.0, difference(i)) * solve_row(i, 0.0, 0.0);
  start_from_means(fields);
  if (is_better_than(before)) return true;
  std::swap(point_, before);
  return false;
}

// With s = 0 the fields of least energy are the solution, so that lower energy is progress too.
bool FieldSolver::is_better_than(const FieldPoint& before) const {
  const bool lower = s_.isZero(0.0) && energy(point_) < energy(before);
  return std::isfinite(point_.residual) && (lower || point_.residual < before.residual);
}

// Solves u_i = slope_i(m_i) row by row, theory.md (17), with the other weights fixed.
void FieldSolver::coordinate_ascent(int sweeps) {
  MatrixIn k = problem_.k;
  const Vector& w = problem_.copies;
  Vector field(s_.size());
  const Vector all = w.cwiseProduct(point_.weights);
  gemv(1.0, k, Op::transposed, all, 0.0, field, ctx_.threads);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Index i = 0; i < s_.size(); ++i) {
      const double old = point_.weights(i);
      const double now = solve_row(i, field(i) - w(i) * k(i, i) * old, old);
      if (now != old) field += w(i) * (now - old) * k.col(i);
      point_.weights(i) = now;
      if (i % kTermsPerPoll == 0) ctx_.check();
    }
  start_from(point_.weights);
}

// slope(m) at the root of m - (K_ii - s_i) slope(m) = rest, theory.md (17), by Newton's method kept
// inside a bracket.
double FieldSolver::solve_row(Index i, double rest, double start) const {
  constexpr int kMaxSteps = 100;
  constexpr double kTolerance = 1e-14;
  const double difference = std::max(0.0, problem_.copies(i) * problem_.k(i, i) - s_(i));
  double m = rest + difference * start, low = -kInfinity, high = -low;
  double slope = start;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Tilted t =
        problem_.likelihood.tilted(observed(problem_.y, i), m + problem_.prior_means(i), s_(i));
    slope = t.d1;
    const double excess = m - difference * t.d1 - rest;
    if (excess == 0.0) break;
    // The function has slope at least 1, so that the root is at most `excess` away.
    if (excess > 0.0) {
      high = m;
      low = std::max(low, m - excess);
    } else {
      low = m;
      high = std::min(high, m - excess);
    }
    double next = m - excess / (1.0 + difference * std::max(0.0, -t.d2));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (!std::isfinite(next)) next = m + (excess > 0.0 ? -1.0 : 1.0) * (1.0 + 0.5 * std::abs(m));
    if (std::abs(next - m) <= kTolerance * (std::abs(m) + scale_(i))) break;
    m = next;
  }
  return slope;
}

}  // namespace gpsieve
