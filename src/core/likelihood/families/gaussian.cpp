// p(y | f) = N(y | f, variance). Everything is closed form (theory.md#gaussian).
#include <cmath>

#include "likelihood/factories.h"
#include "math/constants.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

class Gaussian final : public Likelihood {
 public:
  explicit Gaussian(double variance) : variance_(variance) {}

  Response response() const override { return Response::real; }
  bool log_concave() const override { return true; }
  bool gaussian() const override { return true; }
  double noise_variance() const override { return variance_; }
  double log_density(Observed y, double f) const override { return log_normal(y - f, variance_); }

  Tilted tilted(Observed y, double mu, double var) const override {
    const double total = variance_ + var;
    return {log_normal(y - mu, total), (y - mu) / total, -1.0 / total};
  }
  void tilted(MatrixIn y, VectorIn mu, VectorIn var, VectorOut log_z, VectorOut d1,
              VectorOut d2) const override {
    const auto residual = (y.col(0) - mu).array();
    d2 = -(var.array() + variance_).inverse();
    d1 = -residual * d2.array();
    log_z = 0.5 * ((-d2.array()).log() - residual * d1.array()) - kLogSqrt2Pi;
  }
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    const Tilted t = Gaussian::tilted(y, mu, var);
    grad[0] = 0.5 * variance_ * (t.d1 * t.d1 + t.d2);
  }
  Tilted derivatives(Observed y, double f) const override { return Gaussian::tilted(y, f, 0.0); }
  double third_derivative(Observed, double) const override { return 0.0; }

  Predicted predict(double mu, double var) const override { return {mu, var + variance_}; }
  double cdf(double y, double mu, double var) const override {
    return normal::cdf((y - mu) / std::sqrt(var + variance_));
  }
  double quantile(double probability, double mu, double var) const override {
    require_probability(probability);
    return mu + std::sqrt(var + variance_) * normal::quantile(probability);
  }

  double entropy(double) const override { return Gaussian::predictive_entropy(0.0, 0.0); }
  double predictive_entropy(double, double var) const override {
    return 0.5 * std::log(var + variance_) + kLogSqrt2Pi + 0.5;
  }
  double information(double, double var) const override {
    return 0.5 * std::log1p(var / variance_);
  }

  Index n_params() const override { return 1; }
  Vector params() const override { return Vector::Constant(1, std::log(variance_)); }
  void set_params(VectorIn log_params) override { variance_ = std::exp(log_params[0]); }

 private:
  static double log_normal(double residual, double variance) {
    return -0.5 * (std::log(variance) + residual * residual / variance) - kLogSqrt2Pi;
  }
  double variance_;
};

}  // namespace

std::unique_ptr<Likelihood> make_gaussian(const LikelihoodSpec& spec) {
  return std::make_unique<Gaussian>(positive_value(spec, "variance"));
}

}  // namespace gpsieve
