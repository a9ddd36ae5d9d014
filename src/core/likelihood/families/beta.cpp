// Numbers between 0 and 1, y ~ Beta(m precision, (1 - m) precision) with m = 1 / (1 + exp(-f))
// (theory.md#beta).
#include <cmath>

#include "likelihood/factories.h"
#include "likelihood/families/log_link.h"
#include "likelihood/families/tilted_average.h"
#include "math/constants.h"
#include "math/gamma.h"
#include "math/gaussian_expectation.h"
#include "math/incomplete.h"
#include "math/root.h"
#include "math/tilted_integral.h"

namespace gpsieve {
namespace {

class Beta final : public Likelihood {
 public:
  explicit Beta(double precision) : precision_(precision) {}

  Response response() const override { return Response::real; }
  bool log_concave() const override { return false; }
  double log_density(Observed y, double f) const override { return value(y, f); }
  // theory.md (24); with a = m precision, b = (1 - m) precision, of which either may underflow.
  Tilted derivatives(Observed y, double f) const override {
    if (!inside(y)) return {-kInfinity, 0.0, 0.0};
    const double m = logistic(f), rest = logistic(-f);
    const double a = m * precision_, b = rest * precision_;
    const double logit = std::log(y) - std::log1p(-y), both = m * rest * precision_ * logit;
    const double at_a = slope(a), at_b = slope(b);
    return {value(y, f), m * at_b - rest * at_a + both,
            m * rest * (at_a + at_b) - rest * rest * curvature(a) - m * m * curvature(b) +
                (rest - m) * both};
  }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    if (!inside(y)) return {-kInfinity, 0.0, 0.0};
    const LogDensity log_density{[this, &y](double f) {
                                   const Tilted l = derivatives(y, f);
                                   return Jet{l.log_z, l.d1, l.d2};
                                 },
                                 false, std::log(y) - std::log1p(-y)};
    const Jet z = integrate_tilted(log_density, mu, var);
    return {z.value, z.first, z.second};
  }
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    const double log_y = std::log(y), log_rest = std::log1p(-y), constant = slope(precision_);
    grad[0] = tilted_average(
        tilted(y, mu, var), [&](double f) { return value(y, f); }, mu, var,
        0.9 / std::sqrt(1.0 + precision_),
        [&](double f) {
          const double m = logistic(f), rest = logistic(-f);
          return constant - slope(m * precision_) - slope(rest * precision_) +
                 precision_ * (m * log_y + rest * log_rest);
        });
  }

  Predicted predict(double mu, double var) const override {
    const double mean = gaussian_expectation(logistic, mu, var);
    const auto away = [mean](double f) { return (logistic(f) - mean) * (logistic(f) - mean); };
    const auto given = [](double f) { return logistic(f) * logistic(-f); };
    return {mean, gaussian_expectation(away, mu, var) +
                      gaussian_expectation(given, mu, var) / (1.0 + precision_)};
  }
  double cdf(double y, double mu, double var) const override {
    if (!(y > 0.0)) return 0.0;
    if (!(y < 1.0)) return 1.0;
    const auto given = [&](double f) {
      return beta_cdf(y, 1.0 - y, smallest(logistic(f)), smallest(logistic(-f)));
    };
    return gaussian_expectation(given, mu, var);
  }
  double quantile(double probability, double mu, double var) const override {
    require_probability(probability);
    if (probability == 0.0 || probability == 1.0) return probability;
    const auto excess = [&](double t) { return cdf(logistic(t), mu, var) - probability; };
    return logistic(increasing_root(excess, mu, 1.0 + std::sqrt(var)));
  }

  double entropy(double f) const override {
    const double a = smallest(logistic(f)), b = smallest(logistic(-f));
    return log_gamma(a) + log_gamma(b) - log_gamma(precision_) - (a - 1.0) * digamma(a) -
           (b - 1.0) * digamma(b) + (precision_ - 2.0) * digamma(precision_);
  }
  // An integral over t = logit y.
  double predictive_entropy(double mu, double var) const override {
    const double unit = 1.0 + std::sqrt(var);
    const Integrands integrand = [&](double t, double* out) {
      const double y = logistic(t);
      const double log_p = inside(y) ? tilted(y, mu, var).log_z : -kInfinity;
      out[0] = log_p > -700.0 ? -log_p * std::exp(log_p) * y * logistic(-t) : 0.0;
    };
    double sum[kMaxIntegrands];
    integrate_panels(integrand, 1, doubling_breaks(mu, unit, -12, 6), 1e-10, sum);
    return sum[0];
  }

  Index n_params() const override { return 1; }
  Vector params() const override { return Vector::Constant(1, std::log(precision_)); }
  void set_params(VectorIn log_params) override { precision_ = std::exp(log_params[0]); }

 private:
  static bool inside(double y) { return y > 0.0 && y < 1.0; }
  double smallest(double share) const { return std::max(share * precision_, 1e-300); }
  // z digamma(z), which is -1 at 0, and its derivative by log z
  static double slope(double z) { return z * digamma(1.0 + z) - 1.0; }
  static double curvature(double z) { return z * digamma(1.0 + z) + z * z * trigamma(1.0 + z); }
  double value(double y, double f) const {
    if (!inside(y)) return -kInfinity;
    const double a = logistic(f) * precision_, b = logistic(-f) * precision_;
    return log_gamma(precision_) - log_gamma(1.0 + a) - log_gamma(1.0 + b) +
           2.0 * std::log(precision_) - log1p_exp(-f) - log1p_exp(f) + (a - 1.0) * std::log(y) +
           (b - 1.0) * std::log1p(-y);
  }

  double precision_;
};

}  // namespace

std::unique_ptr<Likelihood> make_beta(const LikelihoodSpec& spec) {
  return std::make_unique<Beta>(positive_value(spec, "precision"));
}

}  // namespace gpsieve
