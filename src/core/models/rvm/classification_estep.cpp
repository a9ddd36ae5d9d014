// The E-step of the machine for two classes: Newton's method for the weights, Anderson's mixing for
// the cavity variances (math: relevance vectors, section 4).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "linalg/products.h"
#include "models/rvm/anderson.h"
#include "models/rvm/classification.h"

namespace gpsieve {
namespace {

// Newton's decrement is quadratic in the error of the weights, so its tolerance is that of the
// variances squared.
constexpr double kDecrement = 1e-18;
constexpr double kVariance = 1e-9;
// While EM goes on, an E-step need not be better than this share of what is taken for convergence;
// in the sweep, where every function moves all others, no better than that itself.
constexpr double kTrainingShare = 0.01, kSweepShare = 1.0;
constexpr double kSweepVariance = 300.0;  // times the tolerance
// A decrement below this share of the objective may be rounding; it is, if it no longer falls.
constexpr double kFloor = 1e-14, kFalls = 0.01;
constexpr int kMaxNewton = 100, kMaxHalvings = 30, kMaxWalk = 8;
constexpr double kWorthwhile = 0.1;  // of the last decrement, for another step by the same factor
constexpr int kMaxRounds = 500;
// A decrement this small, in squared relative changes of the variances, does not disturb them.
constexpr double kInnerShare = 1e-4;
constexpr Index kDepth = 5;  // of Anderson's mixing
constexpr Index kRowsPerBlock = 512;
constexpr double kSufficient = 1e-4, kRounding = 1e-12;  // of the line search

}  // namespace

// Outputs and variances for the present functions, the last ones as a warm start.
void RvmClassification::start() {
  outputs_.setConstant(offset_);
  if (active_.size() > 0)
    gemv(1.0, active_.columns(), Op::plain, mean_, 1.0, outputs_, ctx_.threads);
  if (options_.inference == RvmInference::laplace) {
    variances_.setZero();
    return;
  }
  prior_variances_.setZero();
  for (Index j = 0; j < active_.size(); ++j)
    prior_variances_ += active_.columns().col(j).cwiseAbs2() / active_.alpha()(j);
  if (options_.inference == RvmInference::naive) variances_ = prior_variances_;
  if (options_.inference == RvmInference::tap) variances_ = variances_.cwiseMin(prior_variances_);
}

// P' Omega P, by blocks of rows that stay in the cache while they are weighted.
void RvmClassification::weigh() {
  const Index n = y_.size(), m = active_.size();
  const Vector roots = sites_.omega().cwiseSqrt();
  information_.setZero(m, m);
  for (Index begin = 0; begin < n && m > 0; begin += kRowsPerBlock) {
    const Index count = std::min(kRowsPerBlock, n - begin);
    const auto rows = roots.segment(begin, count);
    weighted_.resize(count, m);
    for (Index j = 0; j < m; ++j)
      weighted_.col(j) = active_.columns().col(j).segment(begin, count).cwiseProduct(rows);
    syrk(1.0, weighted_, Op::transposed, 1.0, information_, ctx_.threads);
  }
}

// The posterior at the present sites, and where it leads.
void RvmClassification::look_ahead() {
  weigh();
  if (!posterior_.factor(information_, active_.alpha(), ctx_.threads))
    posterior_.factor_by_qr(sites_.omega().cwiseSqrt().asDiagonal() * active_.columns(), 1.0,
                            active_.alpha(), ctx_.threads);
  ctx_.check();
  aim();
}

// The direction of Newton's step with the present factor, and its decrement.
void RvmClassification::aim() {
  Vector gradient = -active_.alpha().cwiseProduct(mean_);
  if (active_.size() > 0)
    gemv(1.0, active_.columns(), Op::transposed, sites_.tau(), 1.0, gradient, ctx_.threads);
  direction_ = posterior_.solve(gradient);
  decrement_ = gradient.dot(direction_);
}

// Psi at these weights and outputs, and the sites there.
double RvmClassification::solve_sites(VectorIn mean, VectorIn outputs) {
  return sites_.solve(outputs, variances_) - 0.5 * active_.alpha().dot(mean.cwiseAbs2());
}

// Backtracks until Psi has risen enough; false if rounding leaves nothing to gain. The sites are
// then those of the present weights again.
bool RvmClassification::climb() {
  Vector change(y_.size());
  gemv(1.0, active_.columns(), Op::plain, direction_, 0.0, change, ctx_.threads);
  double eta = 1.0;
  for (int i = 0; i < kMaxHalvings; ++i, eta *= 0.5) {
    const Vector mean = mean_ + eta * direction_, outputs = outputs_ + eta * change;
    const double value = solve_sites(mean, outputs);
    if (value >= objective_ + kSufficient * eta * decrement_ - kRounding * std::abs(objective_)) {
      mean_ = mean;
      outputs_ = outputs;
      objective_ = value;
      return true;
    }
  }
  objective_ = solve_sites(mean_, outputs_);
  return false;
}

Vector RvmClassification::weight_variances() const {
  Matrix half = active_.columns() * posterior_.scale().asDiagonal();
  trsm(Side::right, Triangle::lower, Op::transposed, posterior_.root(), half, ctx_.threads);
  Vector out = Vector::Zero(half.rows());
  for (Index j = 0; j < half.cols(); ++j) out += half.col(j).cwiseAbs2();
  return out;
}

// Section 4.1: all of the E-step where the variances are given. A factor at new sites costs most by
// far, so each one serves for as many steps as it leads on quickly; the first is that of the last
// E-step, which is there already. The factor that ends it is one at the final sites.
void RvmClassification::newton(double tolerance) {
  objective_ = solve_sites(mean_, outputs_);
  if (!std::isfinite(objective_))
    throw NumericalFailure("the evidence of the relevance vector machine is not finite");
  if (information_.rows() == active_.size() &&
      posterior_.factor(information_, active_.alpha(), ctx_.threads)) {
    aim();
    walk(tolerance);
  }
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMaxNewton; ++i) {
    look_ahead();
    if (decrement_ < tolerance || (near_mode() && decrement_ > kFalls * last)) return;
    last = decrement_;
    if (!walk(tolerance)) return;
  }
}

// Steps with the present factor, while each decrement is much smaller than the one before; false if
// not even the first step gained.
bool RvmClassification::walk(double tolerance) {
  for (int i = 0; i < kMaxWalk; ++i) {
    const double last = decrement_;
    if (last < tolerance) return true;
    if (!climb()) return i > 0;
    aim();
    if (!(decrement_ < kWorthwhile * last)) return true;
  }
  return true;
}

bool RvmClassification::near_mode() const {
  return decrement_ < kFloor * (1.0 + std::abs(objective_));
}

// The variances that the present posterior implies.
Vector RvmClassification::cavity_variances() const {
  const Vector s = weight_variances();
  const Vector room = 1.0 - sites_.omega().cwiseProduct(s).array();
  const Vector free = (room.array() > 0.0).select(s.cwiseQuotient(room), prior_variances_);
  return free.cwiseMax(0.0).cwiseMin(prior_variances_);
}

// The evidence is stationary in the variances; in the weights it is not (Laplace's), so that its
// error is of the order of the root of the decrement.
double RvmClassification::decrement_for(double share) const {
  const double error = share * options_.tol * (1.0 + std::abs(objective_));
  return std::max(kDecrement, error * error);
}

void RvmClassification::expect() {
  if (options_.algorithm == RvmAlgorithm::fast) return settle();
  expect_within(std::max(kVariance, kTrainingShare * std::sqrt(options_.tol)),
                decrement_for(kTrainingShare));
}

void RvmClassification::expect_roughly() {
  expect_within(std::max(kVariance, kSweepVariance * options_.tol), decrement_for(kSweepShare));
}

void RvmClassification::settle() { expect_within(kVariance, kDecrement); }

// Section 4.2: the variances are a fixed point, sought in their logarithms (with the noise, which
// bounds them) because they span many powers of ten and overshoot where a few weights are shared
// by all rows.
void RvmClassification::expect_within(double tolerance, double least_decrement) {
  start();
  newton(least_decrement);
  const bool iterate = options_.inference == RvmInference::tap && active_.size() > 0;
  AndersonMixing mixing(kDepth);
  for (int round = 0; iterate && round < kMaxRounds; ++round) {
    const Vector point = (noise_ + variances_.array()).log();
    const Vector residual = (noise_ + cavity_variances().array()).log() - point.array();
    const double change = residual.cwiseAbs().maxCoeff();
    if (change < tolerance) break;
    variances_ = (mixing.next(point, residual).array().exp() - noise_).max(0.0);
    variances_ = variances_.cwiseMin(prior_variances_);
    newton(std::max(least_decrement, kInnerShare * change * change));
  }
  set_evidence();
}

// Section 4.3. The naive value is the one its equations are stationary for.
void RvmClassification::set_evidence() {
  evidence_ = objective_;
  if (options_.inference == RvmInference::naive) return;
  evidence_ -= posterior_.half_log_det();
  if (options_.inference == RvmInference::tap)
    evidence_ += 0.5 * (sites_.omega().array() * variances_.array()).log1p().sum();
}

}  // namespace gpsieve
