// The E-step for classification: Newton's method for the weights, and Anderson mixing for the fixed
// point of TAP's cavity variances (theory.md#e-step-for-classification).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"
#include "linalg/anderson.h"
#include "linalg/products.h"
#include "models/rvm/classification.h"

namespace gpsieve {
namespace {

// Tightest tolerances: of the relative change of the cavity variances, and of Newton's decrement,
// which is quadratic in the error of the weights and therefore has the square of that tolerance.
constexpr double kVarianceTolerance = 1e-9;
constexpr double kDecrementTolerance = 1e-18;
// The largest error of the evidence that an E-step of batch EM may leave, relative to the change of
// the evidence at which batch EM counts as converged.
constexpr double kBatchShare = 0.01;
// The tolerances of the sweep of subspace EM, where that of the evidence is at least kRoughSweep.
// Newton's decrement is the squared length of a step in posterior standard deviations.
constexpr double kRoughSweep = 1e-7, kSweepVariance = 0.01, kSweepDecrement = 1e-3;
// In the sweep a factorisation serves until the decrements of the steps since it add up to this.
constexpr double kSweepMove = 0.1;
// Where Newton's decrement is below this share of the objective it may consist of rounding errors;
// iterations then end unless a step reduces it to kReduction times its last value.
constexpr double kRoundingShare = 1e-14, kReduction = 0.01;
constexpr int kMaxNewton = 100, kMaxHalvings = 30;
// Steps with one factor, which end when a step reduces the decrement by less than this ratio.
constexpr int kMaxSimplifiedSteps = 8;
constexpr double kContraction = 0.1;
constexpr int kMaxVarianceRounds = 500;
// Newton's decrement may be this share of the squared relative change of the cavity variances
// without disturbing their fixed-point iteration.
constexpr double kInnerShare = 1e-4;
// Bound of the cavity variance of a row of weight below 1, over the prior variance.
constexpr double kLargestRise = 1e6;
constexpr Index kMixingDepth = 5;
constexpr Index kRowsPerBlock = 512;
// Line search: the sufficient share of the expected increase, and the relative rounding error of
// the objective.
constexpr double kSufficientIncrease = 1e-4, kRounding = 1e-12;

}  // namespace

void RvmClassification::e_step() {
  if (options_.algorithm == RvmAlgorithm::fast) return final_e_step();
  e_step_within({std::max(kVarianceTolerance, kBatchShare * std::sqrt(options_.tol)),
                 batch_decrement_tolerance(), kMaxVarianceRounds, 0.0});
}

void RvmClassification::entry_e_step() { sweep_e_step(0); }

void RvmClassification::approximate_e_step() { sweep_e_step(1); }

// Who asks for an evidence of many digits gets a sweep that depends on none of these settings. A
// function that enters at a precision far above its best one moves less than the tolerance, so that
// its weight would stay zero and the M-step would prune it.
void RvmClassification::sweep_e_step(int variance_rounds) {
  if (options_.tol < kRoughSweep || !requires_gain(options_.entry)) return e_step();
  e_step_within({kSweepVariance, kSweepDecrement, variance_rounds, kSweepMove});
}

void RvmClassification::final_e_step() {
  e_step_within({kVarianceTolerance, kDecrementTolerance, kMaxVarianceRounds, 0.0});
}

// The evidence is not stationary in the weights for Laplace's method. Its error is then of the
// order of the square root of Newton's decrement.
double RvmClassification::batch_decrement_tolerance() const {
  const double error = kBatchShare * options_.tol * (1.0 + std::abs(objective_));
  return std::max(kDecrementTolerance, error * error);
}

// The fixed point (28) is sought in the logarithms of noise + V: the cavity variances span many
// powers of ten, and the noise bounds the logarithms from below.
void RvmClassification::e_step_within(const EStepLimits& limits) {
  initialise_e_step();
  newton(limits.decrement, limits.move);
  const bool iterate = options_.inference == RvmInference::tap && active_.size() > 0;
  AndersonMixing mixing(kMixingDepth);
  for (int round = 0; iterate && round < limits.variance_rounds; ++round) {
    const Vector iterate_log = (noise_ + cavity_variances_.array()).log();
    const Vector residual =
        (noise_ + updated_cavity_variances().array()).log() - iterate_log.array();
    const double change = residual.cwiseAbs().maxCoeff();
    if (change < limits.variance) break;
    cavity_variances_ = (mixing.next(iterate_log, residual).array().exp() - noise_).max(0.0);
    cavity_variances_ = cavity_variances_.cwiseMin(largest_cavity_variances());
    newton(std::max(limits.decrement, kInnerShare * change * change), limits.move);
  }
  update_evidence();
}

// Latent values of the present weights, and cavity variances: 0 for Laplace's method, the prior
// variances for naive mean field, the last ones within their bounds for TAP.
void RvmClassification::initialise_e_step() {
  latent_ = prior_means_;
  if (active_.size() > 0)
    gemv(1.0, active_.columns(), Op::plain, mean_, 1.0, latent_, ctx_.threads);
  if (options_.inference == RvmInference::laplace) {
    cavity_variances_.setZero();
    return;
  }
  prior_variances_.setZero();
  for (Index j = 0; j < active_.size(); ++j)
    prior_variances_ += active_.columns().col(j).cwiseAbs2() / active_.alpha()(j);
  if (options_.inference == RvmInference::naive) cavity_variances_ = prior_variances_;
  if (options_.inference == RvmInference::tap)
    cavity_variances_ = cavity_variances_.cwiseMin(largest_cavity_variances());
}

// theory.md (28): V = S / (1 - omega S) from the posterior variances S of the latent values.
Vector RvmClassification::updated_cavity_variances() const {
  const Vector s = latent_variances();
  const Vector divisor = 1.0 - sites_.single_precision().cwiseProduct(s).array();
  const Vector v = (divisor.array() > 0.0).select(s.cwiseQuotient(divisor), prior_variances_);
  return v.cwiseMax(0.0).cwiseMin(largest_cavity_variances());
}

// A cavity leaves out one copy of its row. A row of weight below 1 has less than that, and leaving
// out more than there is may raise the variance above that of the prior.
Vector RvmClassification::largest_cavity_variances() const {
  return (sites_.weight().array() < 1.0).select(kLargestRise * prior_variances_, prior_variances_);
}

// var_i = p_i' Sigma p_i = |L^-1 D p_i|^2, for blocks of rows that fit into the cache.
Vector RvmClassification::latent_variances() const {
  Vector out = Vector::Zero(y_.size());
  parallel_blocks(ctx_.threads, out.size(), kRowsPerBlock, [&](Index begin, Index end) {
    Matrix whitened =
        active_.columns().middleRows(begin, end - begin) * posterior_.prior_sd().asDiagonal();
    trsm(Side::right, Triangle::lower, Op::transposed, posterior_.factor(), whitened);
    auto variances = out.segment(begin, end - begin);
    for (Index j = 0; j < whitened.cols(); ++j) variances += whitened.col(j).cwiseAbs2();
  });
  return out;
}

// theory.md (29) for Laplace's method and TAP, (30) for naive mean field.
void RvmClassification::update_evidence() {
  evidence_ = objective_;
  if (options_.inference == RvmInference::naive) return;
  evidence_ -= posterior_.half_log_det();
  if (options_.inference == RvmInference::tap)
    evidence_ += 0.5 * (sites_.weight().array() *
                        (sites_.single_precision().array() * cavity_variances_.array()).log1p())
                           .sum();
}

// Maximises Psi, theory.md (26), over the weights at the present cavity variances. A factorisation
// at new sites costs N M^2, a step with an old factor only N M, so that every factor serves for as
// many steps as contract quickly; the first one is that of the last E-step. The last factorisation
// is one at the final sites, or at sites from which the mean has moved by less than `move`.
void RvmClassification::newton(double tolerance, double move) {
  objective_ = objective_at(mean_, latent_);
  if (!std::isfinite(objective_))
    throw NumericalFailure("the evidence of the relevance vector machine is not finite");
  if (information_.rows() == active_.size() &&
      posterior_.factorise(information_, active_.alpha(), ctx_.threads)) {
    update_newton_step();
    simplified_newton(tolerance);
    if (decrement_ < tolerance && moved_ < move) return;
  }
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMaxNewton; ++i) {
    update_posterior();
    if (decrement_ < tolerance || (decrement_is_rounding() && decrement_ > kReduction * last))
      return;
    last = decrement_;
    if (!simplified_newton(tolerance)) return;
  }
}

// Newton steps with the present factor, while they reduce the decrement quickly; false if the line
// search of the first one found no increase.
bool RvmClassification::simplified_newton(double tolerance) {
  for (int i = 0; i < kMaxSimplifiedSteps; ++i) {
    const double last = decrement_;
    if (last < tolerance) return true;
    if (!line_search()) return i > 0;
    update_newton_step();
    if (!(decrement_ < kContraction * last)) return true;
  }
  return true;
}

// Halves the Newton step until Psi has increased sufficiently. False if rounding errors hide any
// increase; weights and sites are then the ones before.
bool RvmClassification::line_search() {
  Vector latent_step(y_.size());
  gemv(1.0, active_.columns(), Op::plain, newton_step_, 0.0, latent_step, ctx_.threads);
  double eta = 1.0;
  for (int i = 0; i < kMaxHalvings; ++i, eta *= 0.5) {
    const Vector mean = mean_ + eta * newton_step_, latent = latent_ + eta * latent_step;
    const double value = objective_at(mean, latent);
    const double increase = kSufficientIncrease * eta * decrement_;
    if (value >= objective_ + increase - kRounding * std::abs(objective_)) {
      mean_ = mean;
      latent_ = latent;
      objective_ = value;
      moved_ += decrement_;
      return true;
    }
  }
  objective_ = objective_at(mean_, latent_);
  return false;
}

// Psi at these weights and their latent values; updates the sites.
double RvmClassification::objective_at(VectorIn mean, VectorIn latent) {
  return sites_.update(latent, cavity_variances_) - 0.5 * active_.alpha().dot(mean.cwiseAbs2());
}

// P' Omega P, summed over blocks of rows that fit into the cache.
void RvmClassification::update_information() {
  const Index n = y_.size(), m = active_.size();
  const Vector roots = sites_.precision().cwiseSqrt();
  information_.setZero(m, m);
  for (Index begin = 0; begin < n && m > 0; begin += kRowsPerBlock) {
    const Index count = std::min(kRowsPerBlock, n - begin);
    const auto block_roots = roots.segment(begin, count);
    weighted_rows_.resize(count, m);
    for (Index j = 0; j < m; ++j)
      weighted_rows_.col(j) =
          active_.columns().col(j).segment(begin, count).cwiseProduct(block_roots);
    syrk(1.0, weighted_rows_, Op::transposed, 1.0, information_, ctx_.threads);
  }
}

// Factorises the posterior at the present sites, and computes the Newton step there.
void RvmClassification::update_posterior() {
  update_information();
  moved_ = 0.0;
  if (!posterior_.factorise(information_, active_.alpha(), ctx_.threads))
    posterior_.factorise_by_qr(sites_.precision().cwiseSqrt().asDiagonal() * active_.columns(), 1.0,
                               active_.alpha(), ctx_.threads);
  ctx_.check();
  update_newton_step();
}

// theory.md (27): the step Sigma (P' d1 - A mu) with the present factor, and its decrement.
void RvmClassification::update_newton_step() {
  Vector gradient = -active_.alpha().cwiseProduct(mean_);
  if (active_.size() > 0)
    gemv(1.0, active_.columns(), Op::transposed, sites_.gradient(), 1.0, gradient, ctx_.threads);
  newton_step_ = posterior_.covariance_times(gradient);
  decrement_ = gradient.dot(newton_step_);
}

bool RvmClassification::decrement_is_rounding() const {
  return decrement_ < kRoundingShare * (1.0 + std::abs(objective_));
}

}  // namespace gpsieve
