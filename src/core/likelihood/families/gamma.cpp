// Positive numbers y ~ Gamma(shape, shape / exp(f)), of mean exp(f) and of variance
// exp(f)^2 / shape (theory.md#gamma).
#include "math/gamma.h"

#include <cmath>

#include "likelihood/factories.h"
#include "likelihood/families/log_link.h"
#include "likelihood/families/tilted_average.h"
#include "math/constants.h"
#include "math/gaussian_expectation.h"
#include "math/incomplete.h"
#include "math/root.h"

namespace gpsieve {
namespace {

class Gamma final : public Likelihood {
 public:
  explicit Gamma(double shape) : shape_(shape) {}

  Response response() const override { return Response::real; }
  bool log_concave() const override { return true; }
  double log_density(Observed y, double f) const override { return derivatives(y, f).log_z; }

  // theory.md (23): log p is computed from its largest value, at f = log y.
  Tilted derivatives(Observed y, double f) const override {
    if (!(y > 0.0) || std::isinf(y)) return {-kInfinity, 0.0, 0.0};
    const double u = std::log(y) - f, ratio = shape_ * std::exp(u);
    return {peak(y) - shape_ * exp_minus_linear(u), shape_ * std::expm1(u), -ratio};
  }
  double third_derivative(Observed y, double f) const override {
    return shape_ * std::exp(std::log(y) - f);
  }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    if (!(y > 0.0) || std::isinf(y)) return {-kInfinity, 0.0, 0.0};
    return Likelihood::tilted(y, mu, var);
  }
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    const double constant = std::log(shape_) - digamma(shape_);
    const double log_y = std::log(y), highest = peak(y);
    grad[0] = shape_ * tilted_average(
                           tilted(y, mu, var),
                           [&](double f) { return highest - shape_ * exp_minus_linear(log_y - f); },
                           mu, var, 0.9 / std::sqrt(1.0 + shape_),
                           [&](double f) { return constant - exp_minus_linear(log_y - f); });
  }

  Predicted predict(double mu, double var) const override {
    return log_normal_mixture(mu, var, 1.0 / shape_, 0.0);
  }
  double cdf(double y, double mu, double var) const override {
    if (!(y > 0.0)) return 0.0;
    if (std::isinf(y)) return 1.0;
    const double log_y = std::log(y);
    const auto given = [&](double f) { return gamma_cdf(shape_ * std::exp(log_y - f), shape_); };
    return gaussian_expectation(given, mu, var);
  }
  double quantile(double probability, double mu, double var) const override {
    require_probability(probability);
    if (probability == 0.0 || probability == 1.0) return probability == 0.0 ? 0.0 : kInfinity;
    const auto excess = [&](double t) { return cdf(std::exp(t), mu, var) - probability; };
    return std::exp(increasing_root(excess, mu, 1.0 + std::sqrt(var)));
  }

  double entropy(double f) const override {
    return f + shape_ - std::log(shape_) + log_gamma(shape_) + (1.0 - shape_) * digamma(shape_);
  }
  // Of log y, plus the mean of log y.
  double predictive_entropy(double mu, double var) const override {
    const double unit = 1.0 + std::sqrt(var);
    const Integrands integrand = [&](double t, double* out) {
      const double log_p = tilted(std::exp(t), mu, var).log_z + t;
      out[0] = log_p > -700.0 ? -log_p * std::exp(log_p) : 0.0;
    };
    double sum[kMaxIntegrands];
    integrate_panels(integrand, 1, doubling_breaks(mu, unit, -12, 9), 1e-10, sum);
    return sum[0] + mu + digamma(shape_) - std::log(shape_);
  }

  Index n_params() const override { return 1; }
  Vector params() const override { return Vector::Constant(1, std::log(shape_)); }
  void set_params(VectorIn log_params) override { shape_ = std::exp(log_params[0]); }

 private:
  double peak(double y) const {
    return 0.5 * std::log(shape_) - kLogSqrt2Pi - stirling_error(shape_) - std::log(y);
  }

  double shape_;
};

}  // namespace

std::unique_ptr<Likelihood> make_gamma(const LikelihoodSpec& spec) {
  return std::make_unique<Gamma>(positive_value(spec, "shape"));
}

}  // namespace gpsieve
