#include "learning/quasi_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace gpsieve {
namespace {

// theory.md#quasi-newton-steps: how many pairs are kept, how much a step must gain of what the
// slope promises, how much of the slope may be left, how often one line is tried.
constexpr std::size_t kMostPairs = 20;
constexpr double kLeastGain = 1e-4;
constexpr double kSlopeLeft = 0.9;
constexpr int kMostTrials = 12;
// Values that differ by less than this much of their size are the same but for rounding errors.
constexpr double kRounding = 1e-12;
// The first line, about which nothing is known, begins with a step that moves a parameter by this.
constexpr double kFirstStep = 0.1;
constexpr double kLongerStep = 3.0;
// Where a value lies between two others, in shares of their distance.
constexpr double kNearest = 0.1;

}  // namespace

QuasiNewton::QuasiNewton(const Vector& begin, const ValueAndGradient& at,
                         const QuasiNewtonSettings& settings)
    : settings_(settings), from_(begin), best_(begin), at_(at), best_value_(at.value) {
  if (settings.lower.size() != begin.size() || settings.upper.size() != begin.size() ||
      at.gradient.size() != begin.size())
    throw InvalidSpec("the bounds or the gradient do not fit the parameters");
  begin_line();
}

Vector QuasiNewton::within(const Vector& params) const {
  return params.cwiseMax(settings_.lower).cwiseMin(settings_.upper);
}

// Can a parameter move up its slope?
bool QuasiNewton::is_free(Index i, double slope) const {
  return slope > 0.0 ? from_(i) < settings_.upper(i) : from_(i) > settings_.lower(i);
}

Vector QuasiNewton::free_gradient() const {
  Vector free = at_.gradient;
  for (Index i = 0; i < free.size(); ++i)
    if (!is_free(i, free(i))) free(i) = 0.0;
  return free;
}

// theory.md (8)
Vector QuasiNewton::times_inverse_hessian(const Vector& gradient) const {
  Vector out = gradient;
  Vector shares(static_cast<Index>(pairs_.size()));
  for (Index k = shares.size() - 1; k >= 0; --k) {
    const Pair& pair = pairs_[static_cast<std::size_t>(k)];
    shares(k) = pair.step.dot(out) / pair.product;
    out -= shares(k) * pair.change;
  }
  if (!pairs_.empty()) out *= pairs_.back().product / pairs_.back().change.squaredNorm();
  for (Index k = 0; k < shares.size(); ++k) {
    const Pair& pair = pairs_[static_cast<std::size_t>(k)];
    out += (shares(k) - pair.change.dot(out) / pair.product) * pair.step;
  }
  return out;
}

void QuasiNewton::begin_line() {
  const Vector gradient = free_gradient();
  if (gradient.size() == 0 || gradient.cwiseAbs().maxCoeff() <= settings_.small_slope) {
    done_ = converged_ = true;
    return;
  }
  direction_ = times_inverse_hessian(gradient);
  for (Index i = 0; i < gradient.size(); ++i)
    if (gradient(i) == 0.0 || !is_free(i, direction_(i))) direction_(i) = 0.0;
  double slope = direction_.dot(gradient);
  if (!(slope > 0.0) || !std::isfinite(slope)) {
    pairs_.clear();
    direction_ = gradient;
    slope = gradient.squaredNorm();
  }
  const double size = direction_.cwiseAbs().maxCoeff();
  longest_ = settings_.longest_step / size;
  low_ = {0.0, from_, at_};
  has_high_ = false;
  trials_ = 0;
  try_step(pairs_.empty() ? std::min(1.0, kFirstStep / size) : 1.0);
}

void QuasiNewton::try_step(double step) {
  step_ = std::min(step, longest_);
  next_ = within(from_ + step_ * direction_);
  if (++trials_ > kMostTrials || next_ == from_) give_up_line();
}

// Between the two ends of what is left of the line: at the greatest value of the parabola through
// the values of both and the slope of the lower end, but not close to an end.
void QuasiNewton::try_between() {
  const double width = high_.step - low_.step;
  double share = kNearest;
  if (std::isfinite(high_.found.value)) {
    const double rise = low_.found.gradient.dot(direction_) * width;
    share = 0.5 * rise / (low_.found.value + rise - high_.found.value);
  }
  try_step(low_.step + std::clamp(share, kNearest, 1.0 - kNearest) * width);
}

void QuasiNewton::shorten(double value) {
  high_ = {step_, next_, {value, Vector()}};
  has_high_ = true;
  try_between();
}

void QuasiNewton::tell_failure() { shorten(-std::numeric_limits<double>::infinity()); }

void QuasiNewton::tell(const ValueAndGradient& found) {
  if (!std::isfinite(found.value) || !found.gradient.allFinite()) {
    tell_failure();
    return;
  }
  if (found.value > best_value_) {
    best_value_ = found.value;
    best_ = next_;
  }
  const double promised = at_.gradient.dot(next_ - from_);
  const double rounding = kRounding * std::abs(at_.value);
  if (found.value + rounding < at_.value + kLeastGain * promised ||
      found.value + rounding < low_.found.value) {
    shorten(found.value);
    return;
  }
  const double slope = found.gradient.dot(direction_), first = at_.gradient.dot(direction_);
  if (slope > kSlopeLeft * first && step_ < longest_) {
    low_ = {step_, next_, found};
    if (has_high_) {
      try_between();
    } else {
      try_step(kLongerStep * step_);
    }
    return;
  }
  accept(next_, found);
}

void QuasiNewton::accept(const Vector& params, const ValueAndGradient& found) {
  Pair pair{params - from_, at_.gradient - found.gradient, 0.0};
  pair.product = pair.step.dot(pair.change);
  if (pair.product > 1e-10 * pair.step.norm() * pair.change.norm()) {
    pairs_.push_back(pair);
    if (pairs_.size() > kMostPairs) pairs_.pop_front();
  }
  from_ = params;
  at_ = found;
  begin_line();
}

// What the line has gained is kept. Where it gained nothing the search goes straight up the
// gradient, once.
void QuasiNewton::give_up_line() {
  if (low_.step > 0.0) {
    accept(Vector(low_.params), ValueAndGradient(low_.found));
    return;
  }
  if (pairs_.empty()) {
    done_ = true;
    return;
  }
  pairs_.clear();
  begin_line();
}

}  // namespace gpsieve
