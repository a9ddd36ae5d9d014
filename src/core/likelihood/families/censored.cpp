// Gaussian and log-normal noise, of which some responses are known to lie in an interval only.
//
// An observation is the two ends of the interval; they are equal where the number is known. A
// number alone is known: the likelihood of log-normal responses is this one without intervals, so
// that inference is exact (theory.md#censored).
#include <cmath>

#include "likelihood/factories.h"
#include "math/constants.h"
#include "math/normal.h"
#include "math/normal_interval.h"

namespace gpsieve {
namespace {

class Censored final : public Likelihood {
 public:
  Censored(double variance, bool log, Index columns)
      : variance_(variance), log_(log), columns_(columns) {}

  Response response() const override { return Response::real; }
  Index columns() const override { return columns_; }
  bool log_concave() const override { return true; }
  bool gaussian() const override { return columns_ == 1; }
  bool warped() const override { return gaussian() && log_; }
  double noise_variance() const override {
    return gaussian() ? variance_ : Likelihood::noise_variance();
  }
  double latent_response(Observed y) const override { return line(y); }
  double log_jacobian(Observed y) const override {
    if (!log_) return 0.0;
    return y > 0.0 ? -std::log(y) : -kInfinity;
  }
  double third_derivative(Observed y, double f) const override {
    return gaussian() ? 0.0 : Likelihood::third_derivative(y, f);
  }
  double log_density(Observed y, double f) const override { return derivatives(y, f).log_z; }
  Tilted derivatives(Observed y, double f) const override { return Censored::tilted(y, f, 0.0); }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    const double total = variance_ + var;
    if (y.first < y.second && !(log_ && y.first < 0.0)) {
      const double scale = 1.0 / std::sqrt(total);
      const normal::Interval i =
          normal::interval(scale * (line(y.first) - mu), scale * (line(y.second) - mu));
      return {i.log_mass, scale * i.mean, i.excess / total};
    }
    if (y.second < y.first || (log_ && !(y > 0.0))) return {-kInfinity, 0.0, 0.0};
    const double residual = line(y) - mu;
    return {-0.5 * (std::log(total) + residual * residual / total) - kLogSqrt2Pi -
                (log_ ? std::log(y) : 0.0),
            residual / total, -1.0 / total};
  }
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    const Tilted t = Censored::tilted(y, mu, var);
    grad[0] = 0.5 * variance_ * (t.d1 * t.d1 + t.d2);
  }

  Predicted predict(double mu, double var) const override {
    const double total = variance_ + var;
    if (!log_) return {mu, total};
    const double mean = std::exp(mu + 0.5 * total);
    return {mean, mean == kInfinity ? mean : mean * mean * std::expm1(total)};
  }
  double cdf(double y, double mu, double var) const override {
    if (log_ && !(y > 0.0)) return 0.0;
    return normal::cdf((line(y) - mu) / std::sqrt(variance_ + var));
  }
  double quantile(double probability, double mu, double var) const override {
    require_probability(probability);
    const double q = mu + std::sqrt(variance_ + var) * normal::quantile(probability);
    return log_ ? std::exp(q) : q;
  }

  double entropy(double f) const override { return Censored::predictive_entropy(f, 0.0); }
  double predictive_entropy(double mu, double var) const override {
    return 0.5 * std::log(variance_ + var) + kLogSqrt2Pi + 0.5 + (log_ ? mu : 0.0);
  }
  double information(double, double var) const override {
    return 0.5 * std::log1p(var / variance_);
  }

  Index n_params() const override { return 1; }
  Vector params() const override { return Vector::Constant(1, std::log(variance_)); }
  void set_params(VectorIn log_params) override { variance_ = std::exp(log_params[0]); }

 private:
  double line(double y) const { return log_ ? std::log(y) : y; }  // on the latent function's scale

  double variance_;
  bool log_;
  Index columns_;
};

}  // namespace

std::unique_ptr<Likelihood> make_lognormal(const LikelihoodSpec& spec) {
  return std::make_unique<Censored>(positive_value(spec, "variance"), true, 1);
}

std::unique_ptr<Likelihood> make_censored_gaussian(const LikelihoodSpec& spec) {
  return std::make_unique<Censored>(positive_value(spec, "variance"), false, 2);
}

std::unique_ptr<Likelihood> make_censored_lognormal(const LikelihoodSpec& spec) {
  return std::make_unique<Censored>(positive_value(spec, "variance"), true, 2);
}

}  // namespace gpsieve
