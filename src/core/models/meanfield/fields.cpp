#include "models/meanfield/fields.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"
#include "kernel/point_blocks.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "models/meanfield/inverse.h"

namespace gpsieve {
namespace {

// Smaller curvatures are raised to this one, so that their roots can be divided by: the slope that
// is divided is then zero.
constexpr double kSmallestCurvature = 1e-300;
constexpr Index kFieldColumns = 64;  // columns of B that are formed together

double rms(const Vector& x) { return std::sqrt(x.squaredNorm() / static_cast<double>(x.size())); }

}  // namespace

FieldSolver::FieldSolver(const FieldProblem& problem, MatrixOut work, const Context& ctx)
    : problem_(problem), work_(work), ctx_(ctx), s_(Vector::Zero(problem.y.rows())) {
  // A step has no curvature without a cavity variance.
  if (problem.likelihood.step()) s_ = problem.k.diagonal();
  start_from(Vector::Zero(s_.size()));
  // At the prior mean, with cavity variances 0: for a probit a multiple of its noise. Rows of
  // almost no curvature, such as counts of 0, take a millionth of the largest.
  constexpr double kRange = 1e-6;
  const double largest = point_.curvature.maxCoeff();
  inverse_curvature_ = largest > 0.0
                           ? Vector(point_.curvature.cwiseMax(kRange * largest).cwiseInverse())
                           : Vector(Vector::Ones(s_.size()));
  set_cavities(s_);
}

Vector FieldSolver::variance_ratio() const {
  // Rounding must not make a site of infinite or negative precision.
  constexpr double kLeast = 1e-16;
  return (1.0 - point_.curvature.array() * s_.array()).max(kLeast);
}

Vector FieldSolver::cavity_means(const Vector& u) const {
  Vector out(u.size());
  const Vector all = problem_.copies.cwiseProduct(u);
  gemv(1.0, problem_.k, Op::transposed, all, 0.0, out, ctx_.threads);
  return out - s_.cwiseProduct(u);
}

void FieldSolver::evaluate(FieldPoint& point) const {
  const Index n = s_.size();
  for (Vector* each : {&point.log_z, &point.slope, &point.curvature}) each->resize(n);
  const Vector shifted = point.mean + problem_.prior_means;
  if (!shifted.allFinite()) {
    point.residual = std::numeric_limits<double>::infinity();
    return;
  }
  // A row may cost a quadrature, which fails for means far from anything the response allows: a
  // Newton step that is too long proposes them, and an infinite residual shortens it.
  try {
    parallel_blocks(ctx_.threads, n, kPointsPerBlock, [&](Index begin, Index end) {
      const Index rows = end - begin;
      problem_.likelihood.tilted(problem_.y.middleRows(begin, rows), shifted.segment(begin, rows),
                                 s_.segment(begin, rows), point.log_z.segment(begin, rows),
                                 point.slope.segment(begin, rows),
                                 point.curvature.segment(begin, rows));
    });
  } catch (const NumericalFailure&) {
    if (scale_.size() == 0) throw;  // at the prior mean, where no step is to blame
    point.residual = std::numeric_limits<double>::infinity();
    return;
  }
  ctx_.check();
  point.curvature = (-point.curvature).cwiseMax(0.0);
  if (scale_.size() == 0) return;  // the constructor has not set them yet
  point.residual = rms(scale_.cwiseProduct(point.weights - point.slope));
  point.slope_scale = std::max(1.0, rms(scale_.cwiseProduct(point.slope)));
  if (!std::isfinite(point.residual)) point.residual = std::numeric_limits<double>::infinity();
}

void FieldSolver::set_cavities(const Vector& s) {
  s_ = s;
  scale_ = (inverse_curvature_ + s).cwiseSqrt();
  start_from(point_.weights);
}

void FieldSolver::start_from(const Vector& weights) {
  point_.weights = weights;
  point_.mean = cavity_means(weights);
  evaluate(point_);
}

void FieldSolver::release() { holds_ = Work::unused; }

double FieldSolver::energy(const FieldPoint& point) const {
  const Vector& w = problem_.copies;
  return -w.cwiseProduct(point.log_z).sum() + 0.5 * w.cwiseProduct(point.weights).dot(point.mean);
}

bool FieldSolver::is_current() const {
  return factored_curvature_ == point_.curvature && factored_s_ == s_;
}

Vector FieldSolver::diagonal() const {
  return variance_ratio() + root_.cwiseAbs2().cwiseProduct(problem_.k.diagonal());
}

void FieldSolver::factor() {
  if (holds_ == Work::factor && is_current()) return;
  MatrixIn k = problem_.k;
  const Index n = k.cols();
  root_ = problem_.copies.cwiseProduct(point_.curvature.cwiseMax(kSmallestCurvature)).cwiseSqrt();
  const Vector own = diagonal();
  for (Index begin = 0; begin < n; begin += kFieldColumns * std::max(1, ctx_.threads) * 8) {
    const Index count = std::min(n - begin, kFieldColumns * std::max(1, ctx_.threads) * 8);
    parallel_blocks(ctx_.threads, count, kFieldColumns, [&](Index first, Index last) {
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
  // theory.md (25)
  half_log_det_ = sum_log_diagonal(work_) +
                  0.5 * ((problem_.copies.array() - 1.0) * variance_ratio().array().log()).sum();
  holds_ = Work::factor;
  factored_curvature_ = point_.curvature;
  factored_s_ = s_;
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

}  // namespace gpsieve
