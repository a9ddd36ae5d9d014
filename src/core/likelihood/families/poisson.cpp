// P(y | f) = exp(y f - exp(f)) / y!, y = 0, 1, ...: counts with a logarithmic link
// (theory.md#poisson).
#include <algorithm>
#include <cmath>

#include "likelihood/count_entropy.h"
#include "likelihood/factories.h"
#include "likelihood/families/zero_inflated.h"
#include "math/constants.h"
#include "math/gamma.h"
#include "math/gaussian_expectation.h"
#include "math/incomplete.h"
#include "math/normal.h"
#include "math/tilted_integral.h"

namespace gpsieve {
namespace {

bool is_count(double y) { return y >= 0.0 && y == std::floor(y) && std::isfinite(y); }

// The value of f from which the offset d = f - log_scale(y) is measured: the maximum log y of
// P(y | f), or 0 for y = 0.
double log_scale(double y) { return std::log(std::max(y, 1.0)); }

// theory.md (14): log P(y | f) = below_peak(y, d) + log_peak(y), where log_peak() is the largest
// value.
double log_peak(double y) {
  return y == 0.0 ? 0.0 : -0.5 * std::log(y) - kLogSqrt2Pi - stirling_error(y);
}
Jet below_peak(double y, double d) {
  if (y == 0.0) {
    const double rate = std::exp(d);
    return {-rate, -rate, -rate};
  }
  return {-y * exp_minus_linear(d), -y * std::expm1(d), -y * std::exp(d)};
}

double log_mass(double y, double rate) {
  if (rate == 0.0) return y == 0.0 ? 0.0 : -kInfinity;
  return below_peak(y, std::log(rate) - log_scale(y)).value + log_peak(y);
}

// P(Y <= k | rate), by the sum over the counts from k down, or 1 minus the sum over the counts from
// k + 1 up, whichever has decreasing terms; for many counts by the gamma distribution.
double conditional_cdf(double k, double rate) {
  constexpr double kRounding = 1e-17;
  if (rate == kInfinity) return 0.0;
  if (k + 1.0 >= kManyCounts) return large_gamma_survival(rate, k + 1.0);
  double sum = 0.0, term = 1.0;
  if (rate < k + 1.0) {
    for (double j = k + 2.0; term > kRounding * sum; j += 1.0) {
      sum += term;
      term *= rate / j;
    }
    return 1.0 - std::exp(log_mass(k + 1.0, rate)) * sum;
  }
  for (double j = k; term > kRounding * sum; j -= 1.0) {
    sum += term;
    term *= j / rate;
  }
  return std::exp(log_mass(k, rate)) * sum;
}

class Poisson final : public Likelihood {
 public:
  Response response() const override { return Response::count; }
  bool log_concave() const override { return true; }

  double log_density(Observed y, double f) const override { return derivatives(y, f).log_z; }
  Tilted derivatives(Observed y, double f) const override {
    if (!is_count(y)) return {-kInfinity, 0.0, 0.0};
    const Jet l = below_peak(y, f - log_scale(y));
    return {l.value + log_peak(y), l.first, l.second};
  }

  double third_derivative(Observed, double f) const override { return -std::exp(f); }

  // The default quadrature, but over the offset d and without log_peak(y). P(y | f) is a peak of
  // width y^-1/2 at log y: for large y the rounding error of f would be a large share of that
  // width.
  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    return is_count(y) ? tilted_at(y, mu, var) : Likelihood::tilted(y, mu, var);
  }

  // exp(f) is log-normal.
  Predicted predict(double mu, double var) const override {
    const double mean = std::exp(mu + 0.5 * var);
    if (var == 0.0 || mean == kInfinity) return {mean, mean};
    return {mean, mean + mean * (mean * std::expm1(var))};
  }

  // The sum for rates below 200, otherwise the asymptotic series, whose next term is below 1e-9.
  double entropy(double f) const override {
    constexpr double kLarge = 5.3;
    if (f < kLarge) return Likelihood::entropy(f);
    const double inverse = std::exp(-f);
    return 0.5 * f + kLogSqrt2Pi + 0.5 -
           inverse * (1.0 / 12.0 + inverse * (1.0 / 24.0 + inverse * (19.0 / 360.0)));
  }

  double predictive_entropy(double mu, double var) const override {
    return count_entropy([&](double y) { return tilted_at(y, mu, var).log_z; }, mu, var);
  }

  // P(Y <= k | f) = P(log G > f) with G ~ Gamma(k + 1, 1): whichever of log G and f is the
  // narrower is integrated numerically: given it, the distribution of the other is smooth there.
  double cdf(double y, double mu, double var) const override {
    if (y < 0.0) return 0.0;
    if (y == kInfinity) return 1.0;
    const double k = std::floor(y), sd = std::sqrt(var), wide = var * (k + 1.0);
    const auto given = [k](double f) { return conditional_cdf(k, std::exp(f)); };
    if (k + 1.0 < kManyCounts)
      return wide < 1.0 ? gaussian_average<32>(given, mu, sd) : over_gamma(k + 1.0, mu, var);
    // Without sums over counts `given` costs more than a term of the other integral, and a seventh
    // of its width is narrow enough for a rule of few nodes.
    return wide < kNarrow ? gaussian_average<8>(given, mu, sd) : over_gamma(k + 1.0, mu, var);
  }

 private:
  static constexpr double kNarrow = 0.02;

  Tilted tilted_at(double y, double mu, double var) const {
    const LogDensity below{[y](double d) { return below_peak(y, d); }, true};
    const Jet z = integrate_tilted(below, mu - log_scale(y), var);
    return {z.value + log_peak(y), z.first, z.second};
  }

  // u = log(G / shape) has density proportional to exp(-shape (exp(u) - 1 - u)).
  static double over_gamma(double shape, double mu, double var) {
    const double h = std::min(0.2, 0.7 / std::sqrt(shape + 1.0 / var));
    const double offset = std::log(shape) - mu, sd = std::sqrt(var);
    constexpr double kNegligible = 41.0;
    double sum = 0.0, total = 0.0;
    for (double side : {-1.0, 1.0}) {
      for (double k = side < 0.0 ? 1.0 : 0.0;; k += 1.0) {
        const double u = side * k * h;
        const double exponent = -shape * exp_minus_linear(u);
        if (exponent < -kNegligible) break;
        const double weight = std::exp(exponent);
        sum += weight * normal::cdf((offset + u) / sd);
        total += weight;
      }
    }
    return sum / total;
  }
};

}  // namespace

std::unique_ptr<Likelihood> make_poisson(const LikelihoodSpec& spec) {
  return with_zero_inflation(spec, std::make_unique<Poisson>());
}

}  // namespace gpsieve
