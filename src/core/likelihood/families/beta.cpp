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

// log p(y | f) of one y as a function of f, theory.md (24); y and 1 - y are positive.
class BetaDensity {
 public:
  BetaDensity(double precision, double log_constant, double y)
      : precision_(precision),
        log_constant_(log_constant),
        log_y_(std::log(y)),
        log_rest_(std::log1p(-y)) {}

  double logit() const { return log_y_ - log_rest_; }

  double value(double f) const {
    const Mean m = mean(f);
    return value(m, log_gamma(1.0 + m.share * precision_), log_gamma(1.0 + m.rest * precision_));
  }

  Tilted derivatives(double f) const {
    const Mean m = mean(f);
    const Terms a = terms(m.share * precision_), b = terms(m.rest * precision_);
    const double both = m.share * m.rest * precision_ * logit();
    return {value(m, a.log_gamma, b.log_gamma), m.share * b.slope - m.rest * a.slope + both,
            m.share * m.rest * (a.slope + b.slope) - m.rest * m.rest * a.curvature -
                m.share * m.share * b.curvature + (m.rest - m.share) * both};
  }

  // The derivative of log p by the logarithm of the precision.
  double by_precision(double f, double of_precision) const {
    const Mean m = mean(f);
    return of_precision - slope(m.share * precision_) - slope(m.rest * precision_) +
           precision_ * (m.share * log_y_ + m.rest * log_rest_);
  }

  // z digamma(z), which is -1 at 0
  static double slope(double z) { return z * digamma(1.0 + z) - 1.0; }

 private:
  // m, 1 - m and log m + log(1 - m)
  struct Mean {
    double share, rest, log_both;
  };
  static Mean mean(double f) {
    const double away = std::abs(f), e = std::exp(-away), greater = 1.0 / (1.0 + e);
    const double log_both = -away - 2.0 * std::log1p(e);
    return f < 0.0 ? Mean{e * greater, greater, log_both} : Mean{greater, e * greater, log_both};
  }

  // log Gamma(1 + z), A(z) and B(z) of theory.md (24)
  struct Terms {
    double log_gamma, slope, curvature;
  };
  static Terms terms(double z) {
    const LogGammaJet jet = log_gamma_jet(1.0 + z);
    return {jet.value, z * jet.first - 1.0, z * jet.first + z * z * jet.second};
  }

  double value(const Mean& m, double gamma_a, double gamma_b) const {
    return log_constant_ - gamma_a - gamma_b + m.log_both + (m.share * precision_ - 1.0) * log_y_ +
           (m.rest * precision_ - 1.0) * log_rest_;
  }

  double precision_, log_constant_, log_y_, log_rest_;
};

class Beta final : public Likelihood {
 public:
  explicit Beta(double precision) { set_precision(precision); }

  Response response() const override { return Response::real; }
  bool log_concave() const override { return false; }
  double log_density(Observed y, double f) const override {
    return inside(y) ? row(y).value(f) : -kInfinity;
  }
  Tilted derivatives(Observed y, double f) const override {
    return inside(y) ? row(y).derivatives(f) : Tilted{-kInfinity, 0.0, 0.0};
  }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    if (!inside(y)) return {-kInfinity, 0.0, 0.0};
    const BetaDensity density = row(y);
    LogDensity log_density{[&density](double f) {
                             const Tilted l = density.derivatives(f);
                             return Jet{l.log_z, l.d1, l.d2};
                           },
                           false, density.logit()};
    log_density.feature = feature();
    const Jet z = integrate_tilted(log_density, mu, var);
    return {z.value, z.first, z.second};
  }
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    const BetaDensity density = row(y);
    const double of_precision = BetaDensity::slope(precision_);
    grad[0] = tilted_average(
        tilted(y, mu, var), [&](double f) { return density.value(f); }, mu, var, feature(),
        [&](double f) { return density.by_precision(f, of_precision); });
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
  void set_params(VectorIn log_params) override { set_precision(std::exp(log_params[0])); }

 private:
  static bool inside(double y) { return y > 0.0 && y < 1.0; }
  double smallest(double share) const { return std::max(share * precision_, 1e-300); }
  // The width of the narrowest feature of p(y | f) as a function of f.
  double feature() const { return 0.9 / std::sqrt(1.0 + precision_); }
  BetaDensity row(double y) const { return BetaDensity(precision_, log_constant_, y); }
  void set_precision(double precision) {
    precision_ = precision;
    log_constant_ = log_gamma(precision) + 2.0 * std::log(precision);
  }

  double precision_, log_constant_;
};

}  // namespace

std::unique_ptr<Likelihood> make_beta(const LikelihoodSpec& spec) {
  return std::make_unique<Beta>(positive_value(spec, "precision"));
}

}  // namespace gpsieve
