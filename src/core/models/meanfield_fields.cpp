#include "models/meanfield_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "approx/point_blocks.h"
#include "base/error.h"
#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/inverse.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

// Curvatures that underflow keep a root that can be divided by: what it multiplies is zero anyway.
constexpr double kSmallestCurvature = 1e-300;
constexpr double kSmallestStep = 1e-4;
constexpr double kSmallestConvexStep = 1e-9;  // exp(f) of a full step may be far beyond a double
constexpr double kArmijo = 1e-4;
constexpr double kSufficient = 0.2;          // share of the full decrease a step must achieve
constexpr double kContraction = 1.0 / 16.0;  // of the squared residual by a step with an old factor
constexpr double kRoundings = 4.0;           // of K u that a residual may consist of
constexpr int kSweeps = 5;                   // of coordinate ascent where Newton is stuck
constexpr Index kColumns = 64;               // of B made at a time

double rms(const Vector& x) { return std::sqrt(x.squaredNorm() / static_cast<double>(x.size())); }

}  // namespace

FieldSolver::FieldSolver(const FieldProblem& problem, Matrix& work, const Context& ctx)
    : problem_(problem), work_(work), ctx_(ctx), s_(Vector::Zero(problem.y.size())) {
  start_from(s_);
  // One over the curvature where nothing is known, a multiple of the noise of a probit.
  constexpr double kRange = 1e-6;
  const double largest = point_.curvature.maxCoeff();
  own_unit_ = largest > 0.0 ? Vector(point_.curvature.cwiseMax(kRange * largest).cwiseInverse())
                            : Vector(Vector::Ones(s_.size()));
  set_cavities(s_);
}

Vector FieldSolver::room() const {
  // Rounding must not make a site of infinite or negative precision.
  constexpr double kLeast = 1e-16;
  return (1.0 - point_.curvature.array() * s_.array()).max(kLeast);
}

Vector FieldSolver::linear(const Vector& u) const {
  Vector out(u.size());
  gemv(1.0, problem_.k, Op::transposed, u, 0.0, out, ctx_.threads);
  return out - s_.cwiseProduct(u);
}

void FieldSolver::evaluate(FieldPoint& point) const {
  const Index n = s_.size();
  for (Vector* each : {&point.log_z, &point.slope, &point.curvature}) each->resize(n);
  const Vector shifted = point.mean.array() + problem_.prior_mean;
  if (!shifted.allFinite()) {
    point.residual = std::numeric_limits<double>::infinity();
    return;
  }
  // A row may cost a quadrature.
  parallel_blocks(ctx_.threads, n, kPointsPerBlock, [&](Index begin, Index end) {
    const Index rows = end - begin;
    problem_.likelihood.tilted(problem_.y.segment(begin, rows), shifted.segment(begin, rows),
                               s_.segment(begin, rows), point.log_z.segment(begin, rows),
                               point.slope.segment(begin, rows),
                               point.curvature.segment(begin, rows));
  });
  ctx_.check();
  point.curvature = (-point.curvature).cwiseMax(0.0);
  if (unit_.size() == 0) return;  // not known yet
  point.residual = rms(unit_.cwiseProduct(point.weights - point.slope));
  point.typical = std::max(1.0, rms(unit_.cwiseProduct(point.slope)));
  if (!std::isfinite(point.residual)) point.residual = std::numeric_limits<double>::infinity();
}

void FieldSolver::set_cavities(const Vector& s) {
  s_ = s;
  unit_ = (own_unit_ + s).cwiseSqrt();
  start_from(point_.weights);
}

void FieldSolver::start_from(const Vector& weights) {
  point_.weights = weights;
  point_.mean = linear(weights);
  evaluate(point_);
}

void FieldSolver::release() { holds_ = Work::unused; }

double FieldSolver::energy(const FieldPoint& point) {
  return -point.log_z.sum() + 0.5 * point.weights.dot(point.mean);
}

bool FieldSolver::is_current() const {
  return factored_curvature_ == point_.curvature && factored_s_ == s_;
}

void FieldSolver::factor() {
  if (holds_ == Work::factor && is_current()) return;
  const Matrix& k = problem_.k;
  const Index n = k.cols();
  root_ = point_.curvature.cwiseMax(kSmallestCurvature).cwiseSqrt();
  const Vector own = room() + root_.cwiseAbs2().cwiseProduct(k.diagonal());
  for (Index begin = 0; begin < n; begin += kColumns * std::max(1, ctx_.threads) * 8) {
    const Index count = std::min(n - begin, kColumns * std::max(1, ctx_.threads) * 8);
    parallel_blocks(ctx_.threads, count, kColumns, [&](Index first, Index last) {
      for (Index j = begin + first; j < begin + last; ++j) {
        const Index below = n - j;
        work_.col(j).tail(below) = root_(j) * root_.tail(below).cwiseProduct(k.col(j).tail(below));
        work_(j, j) = own(j);
      }
    });
    ctx_.check();
  }
  holds_ = Work::unused;
  cholesky_in_place(work_, ctx_.threads, ctx_.poll);
  half_log_det_ = sum_log_diagonal(work_);
  holds_ = Work::factor;
  factored_curvature_ = point_.curvature;
  factored_s_ = s_;
  ++factorisations_;
}

void FieldSolver::invert() {
  if (holds_ == Work::inverse && is_current()) return;
  factor();
  holds_ = Work::unused;
  invert_lower_in_place(work_, ctx_.threads, ctx_.poll);
  holds_ = Work::inverse;
}

void FieldSolver::apply_inverse(Vector& x) const {
  Eigen::Map<Matrix> column(x.data(), x.size(), 1);
  const auto apply = holds_ == Work::factor ? trsm : trmm;
  apply(Side::left, Triangle::lower, Op::plain, work_, column, ctx_.threads);
  apply(Side::left, Triangle::lower, Op::transposed, work_, column, ctx_.threads);
}

bool FieldSolver::solve(double tolerance, int max_steps) {
  bool restarted = false;
  for (int step = 0; step < max_steps;) {
    if (point_.residual <= tolerance * point_.typical) return true;
    if (holds_ != Work::unused && chord_step()) continue;
    ++step;
    if (newton_step()) continue;
    if (point_.residual <= rounding()) return true;
    if (!restarted && independent_start()) {
      restarted = true;
      continue;
    }
    restarted = true;
    FieldPoint before = point_;
    coordinate_ascent(kSweeps);
    // Rows not yet visited may have been pushed beyond what a double holds.
    if (std::isfinite(point_.residual)) continue;
    std::swap(point_, before);
    break;
  }
  return point_.residual <= std::max(tolerance * point_.typical, rounding());
}

// The residual that rounding in K u leaves: it matters where the prior variance is many times that
// of the noise, so that large weights of both signs cancel.
double FieldSolver::rounding() const {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const double products = problem_.k.diagonal().maxCoeff() * point_.weights.norm();
  const double passed_on = unit_.cwiseProduct(point_.curvature).maxCoeff();
  return kRoundings * kEpsilon * (products * passed_on + point_.typical);
}

// u+ = W^1/2 B^-1 (W^-1/2 slope + W^1/2 m): the exact step, without cancellation.
Vector FieldSolver::newton_target() {
  factor();
  Vector target = point_.slope.cwiseQuotient(root_) + root_.cwiseProduct(point_.mean);
  apply_inverse(target);
  return root_.cwiseProduct(target);
}

bool FieldSolver::newton_step() {
  if (!std::isfinite(point_.residual)) return false;
  const Vector move = newton_target() - point_.weights;
  const Vector mean_move = linear(move);
  const double before = point_.residual * point_.residual;
  // Without cavities the energy is convex in the fields and decides; the residual need not fall.
  const bool convex = s_.isZero(0.0);
  const double start = energy(point_);
  const double descent = (point_.weights - point_.slope).dot(mean_move);
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

// The same step with the matrix of another point: it has to contract to be worth it.
bool FieldSolver::chord_step() {
  Vector move = (point_.weights - point_.slope).cwiseQuotient(root_);
  apply_inverse(move);
  move = -root_.cwiseProduct(move);
  FieldPoint next;
  next.weights = point_.weights + move;
  next.mean = linear(next.weights);
  evaluate(next);
  if (!(next.residual * next.residual < kContraction * point_.residual * point_.residual))
    return false;
  std::swap(point_, next);
  return true;
}

// The Newton step from the fields that every row would choose alone: where counts are large, near
// their logarithms, which no step from zero would reach.
bool FieldSolver::independent_start() {
  FieldPoint before = point_;
  const Vector own = problem_.k.diagonal() - s_;
  for (Index i = 0; i < own.size(); ++i)
    point_.mean(i) = std::max(0.0, own(i)) * solve_row(i, 0.0, 0.0);
  point_.weights.setZero();
  evaluate(point_);
  if (std::isfinite(point_.residual)) start_from(newton_target());
  const bool lower = s_.isZero(0.0) && energy(point_) < energy(before);
  if (std::isfinite(point_.residual) && (lower || point_.residual < before.residual)) return true;
  std::swap(point_, before);
  return false;
}

// Row by row the exact solution of u_i = slope_i(m_i) with the other weights fixed: coordinate
// ascent on a concave dual, so it converges from anywhere, if slowly.
void FieldSolver::coordinate_ascent(int sweeps) {
  const Matrix& k = problem_.k;
  Vector field(s_.size());
  gemv(1.0, k, Op::transposed, point_.weights, 0.0, field, ctx_.threads);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Index i = 0; i < s_.size(); ++i) {
      const double old = point_.weights(i);
      const double now = solve_row(i, field(i) - k(i, i) * old, old);
      if (now != old) field += (now - old) * k.col(i);
      point_.weights(i) = now;
      if (i % kColumns == 0) ctx_.check();
    }
  start_from(point_.weights);
}

// slope(m) at the root of m - (K_ii - s_i) slope(m) = rest, an increasing function with slope at
// least 1: Newton, kept inside a bracket.
double FieldSolver::solve_row(Index i, double rest, double start) const {
  constexpr int kMaxSteps = 100;
  constexpr double kTolerance = 1e-14;
  const double own = std::max(0.0, problem_.k(i, i) - s_(i));
  double m = rest + own * start, low = -std::numeric_limits<double>::infinity(), high = -low;
  double slope = start;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Tilted t = problem_.likelihood.tilted(problem_.y(i), m + problem_.prior_mean, s_(i));
    slope = t.d1;
    const double excess = m - own * t.d1 - rest;
    if (excess == 0.0) break;
    // The root is no farther than the excess.
    if (excess > 0.0) {
      high = m;
      low = std::max(low, m - excess);
    } else {
      low = m;
      high = std::min(high, m - excess);
    }
    double next = m - excess / (1.0 + own * std::max(0.0, -t.d2));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (!std::isfinite(next)) next = m + (excess > 0.0 ? -1.0 : 1.0) * (1.0 + 0.5 * std::abs(m));
    if (std::abs(next - m) <= kTolerance * (std::abs(m) + unit_(i))) break;
    m = next;
  }
  return slope;
}

}  // namespace gpsieve
