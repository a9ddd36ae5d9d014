#include "likelihood/families/quantile_mixture.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "math/constants.h"
#include "math/normal.h"
#include "math/quadrature.h"
#include "math/root.h"

namespace gpsieve {
namespace {

// The rule over f reaches this many standard deviations; its steps, in standard deviations, resolve
// the noise.
constexpr double kReach = 8.0, kWidest = 0.125, kNarrowest = 0.01;

}  // namespace

QuantileMixture::QuantileMixture(const HostFunction& quantile, double mu, double var)
    : quantile_(quantile) {
  const double sd = std::sqrt(var);
  Vector around(3);
  around << mu - sd, mu, mu + sd;
  const Vector low = given_f(-0.5, around), middle = given_f(0.0, around),
               high = given_f(0.5, around);
  // How much of the noise's width the median moves by along a standard deviation of f.
  const double width = std::abs(high[1] - low[1]), change = std::abs(middle[2] - middle[0]) / 2.0;
  const double step = change > width ? std::max(kNarrowest, kWidest * width / change) : kWidest;
  const Index half = static_cast<Index>(std::ceil(kReach / step));
  const Vector z =
      step * Vector::LinSpaced(2 * half + 1, -static_cast<double>(half), static_cast<double>(half));
  f_ = (mu + sd * z.array()).matrix();
  weights_ = (-0.5 * z.array().square()).exp();
  weights_ /= weights_.sum();
}

Vector QuantileMixture::given(const Vector& p, const Vector& f) const {
  const Vector y = quantile_(p, f);
  for (Index i = 0; i < y.size(); ++i)
    if (std::isnan(y[i]))
      throw LikelihoodFailure("the quantile is NaN at p = " + std::to_string(p[i]) +
                              ", f = " + std::to_string(f[i]));
  return y;
}

Vector QuantileMixture::given_f(double z, const Vector& f) const {
  return given(Vector::Constant(f.size(), normal::cdf(z)), f);
}

// The integral over the probability, whose normal quantile is z.
Predicted QuantileMixture::moments() const {
  const double centre = weights_.dot(given_f(0.0, f_));
  const Integrands integrands = [&](double z, double* out) {
    const Eigen::ArrayXd away = given_f(z, f_).array() - centre;
    const double density = std::exp(normal::log_pdf(z));
    out[0] = density * (weights_.array() * away).sum();
    out[1] = density * (weights_.array() * away.square()).sum();
  };
  // Beyond 8 a probability is too close to 1. Where responses beyond 7, whose probability is
  // 1e-12, bear more than kDiverging of the second moment, it is taken to diverge. Their integral
  // cannot be accurate: few digits of 1 - p are left.
  constexpr double kTolerance = 1e-10, kOfTails = 0.1, kDiverging = 1e-3;
  double left[kMaxIntegrands], right[kMaxIntegrands], inner[kMaxIntegrands];
  integrate_panels(integrands, 2, {-8.0, -7.0}, kOfTails, left);
  integrate_panels(integrands, 2, {-7.0, -3.0, -1.0, 0.0, 1.0, 3.0, 7.0}, kTolerance, inner);
  integrate_panels(integrands, 2, {7.0, 8.0}, kOfTails, right);
  const double first = left[0] + inner[0] + right[0], second = left[1] + inner[1] + right[1];
  const bool finite = left[1] + right[1] <= kDiverging * second;
  return {centre + first, finite ? second - first * first : kInfinity};
}

// Given f, the largest probability whose quantile is not above y, by bisection of all f at once.
double QuantileMixture::cdf(double y) const {
  constexpr int kHalvings = 52;
  Vector low = Vector::Constant(f_.size(), -38.0), high = Vector::Constant(f_.size(), 8.5), p = low;
  for (int step = 0; step < kHalvings; ++step) {
    const Vector middle = 0.5 * (low + high);
    p = middle.unaryExpr([](double z) { return normal::cdf(z); });
    const Vector at = given(p, f_);
    for (Index i = 0; i < f_.size(); ++i) (at[i] <= y ? low : high)[i] = middle[i];
  }
  return weights_.dot(p);
}

// It lies between the quantiles given f.
double QuantileMixture::quantile(double probability) const {
  const Vector at = given(Vector::Constant(f_.size(), probability), f_);
  const double low = at.minCoeff(), high = at.maxCoeff();
  if (probability == 0.0 || low == high) return low;
  if (probability == 1.0) return high;
  const auto excess = [&](double y) { return cdf(y) - probability; };
  return root_between(low, high, excess(low), excess(high), excess);
}

}  // namespace gpsieve
