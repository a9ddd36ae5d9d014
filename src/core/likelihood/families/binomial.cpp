// P(y | f) = (n over y) p^y (1 - p)^(n - y) with p = 1 / (1 + exp(-f)): successes among n trials.
//
// An observation is the numbers of successes and of failures. A number alone is successes among the
// trials that the likelihood itself has, as in responses that are predicted (theory.md#binomial).
#include <cmath>

#include "base/error.h"
#include "likelihood/factories.h"
#include "likelihood/families/log_link.h"
#include "math/constants.h"
#include "math/gamma.h"
#include "math/gaussian_expectation.h"
#include "math/incomplete.h"

namespace gpsieve {
namespace {

class Binomial final : public Likelihood {
 public:
  explicit Binomial(double trials) : trials_(trials) {}

  Response response() const override { return Response::count; }
  Index columns() const override { return 2; }
  bool log_concave() const override { return true; }
  double log_density(Observed y, double f) const override { return derivatives(y, f).log_z; }
  Tilted derivatives(Observed y, double f) const override {
    const Outcome o = outcome(y);
    if (!o.possible) return {-kInfinity, 0.0, 0.0};
    const double p = logistic(f), rest = logistic(-f);
    return {o.log_choices - o.successes * log1p_exp(-f) - o.failures * log1p_exp(f),
            o.successes * rest - o.failures * p, -(o.successes + o.failures) * p * rest};
  }
  double third_derivative(Observed y, double f) const override {
    const Outcome o = outcome(y);
    const double p = logistic(f), rest = logistic(-f);
    return -(o.successes + o.failures) * p * rest * (rest - p);
  }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    if (!outcome(y).possible) return {-kInfinity, 0.0, 0.0};
    return Likelihood::tilted(y, mu, var);
  }

  Predicted predict(double mu, double var) const override {
    const double p = gaussian_expectation(logistic, mu, var);
    const auto away = [p](double f) { return (logistic(f) - p) * (logistic(f) - p); };
    const auto one = [](double f) { return logistic(f) * logistic(-f); };
    return {trials_ * p, trials_ * (gaussian_expectation(one, mu, var) +
                                    trials_ * gaussian_expectation(away, mu, var))};
  }
  double cdf(double y, double mu, double var) const override {
    if (y < 0.0) return 0.0;
    const double k = std::floor(y);
    if (k >= trials_) return 1.0;
    const auto given = [&](double f) {
      return beta_cdf(logistic(-f), logistic(f), trials_ - k, k + 1.0);
    };
    return gaussian_expectation(given, mu, var);
  }
  double quantile(double probability, double mu, double var) const override {
    return probability == 1.0 ? trials_ : Likelihood::quantile(probability, mu, var);
  }

 private:
  struct Outcome {
    bool possible;
    double successes, failures, log_choices;
  };
  Outcome outcome(Observed y) const {
    const double successes = y.first;
    const double failures = std::isnan(y.second) ? trials_ - successes : y.second;
    if (!is_count(successes) || !is_count(failures)) return {false, 0.0, 0.0, 0.0};
    return {true, successes, failures,
            log_gamma(successes + failures + 1.0) - log_gamma(successes + 1.0) -
                log_gamma(failures + 1.0)};
  }
  static bool is_count(double y) { return y >= 0.0 && y == std::floor(y) && std::isfinite(y); }

  double trials_;
};

}  // namespace

std::unique_ptr<Likelihood> make_binomial(const LikelihoodSpec& spec) {
  const double trials = spec.values.count("trials") > 0 ? positive_value(spec, "trials") : 1.0;
  if (trials != std::floor(trials))
    throw InvalidSpec("likelihood 'binomial': 'trials' must be a whole number");
  return std::make_unique<Binomial>(trials);
}

}  // namespace gpsieve
