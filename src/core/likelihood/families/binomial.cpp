// P(y | f) = (n over y) p^y (1 - p)^(n - y) with p = 1 / (1 + exp(-f)): successes among n trials.
//
// An observation is the numbers of successes and of failures. A number alone is successes among the
// trials that the likelihood itself has, as in responses that are predicted (theory.md#binomial).
#include <cmath>

#include "base/error.h"
#include "likelihood/count_quantile.h"
#include "likelihood/factories.h"
#include "likelihood/families/log_link.h"
#include "math/constants.h"
#include "math/gamma.h"
#include "math/gaussian_expectation.h"
#include "math/incomplete.h"
#include "math/log_odds_sum.h"
#include "math/tilted_integral.h"

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
    if (o.many) return below_peak(o, f - o.peak_at, o.log_peak);
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
    const Outcome o = outcome(y);
    if (!o.possible) return {-kInfinity, 0.0, 0.0};
    if (!o.many) return Likelihood::tilted(y, mu, var);
    // Over the distance from the peak and without its height, as for Poisson counts.
    const LogDensity below{[&o](double d) {
                             const Tilted l = below_peak(o, d, 0.0);
                             return Jet{l.log_z, l.d1, l.d2};
                           },
                           true};
    const Jet z = integrate_tilted(below, mu - o.peak_at, var);
    return {z.value + o.log_peak, z.first, z.second};
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
    const double a = trials_ - k, b = k + 1.0;
    const auto given = [&](double f) { return beta_cdf(logistic(-f), logistic(f), a, b); };
    if (trials_ < kManyCounts) return gaussian_expectation(given, mu, var);
    // P(Y <= k) = P(L <= -f), L the log-odds of the beta distribution of a and b. Whichever of L
    // and f is the narrower is integrated numerically.
    constexpr double kNarrow = 0.02;
    return var * a * b / (a + b) < kNarrow ? gaussian_average<8>(given, mu, std::sqrt(var))
                                           : log_odds_sum_cdf(a, b, -mu, var);
  }
  double quantile(double probability, double mu, double var) const override {
    require_probability(probability);
    if (probability == 0.0 || probability == 1.0) return probability * trials_;
    const double p = logistic(mu), sd = std::sqrt(var + 1.0 / (trials_ * p * (1.0 - p) + 1.0));
    return count_quantile([&](double y) { return cdf(y, mu, var); }, probability,
                          trials_ * logistic(mu + normal::quantile(probability) * sd));
  }

 private:
  // With `many` trials, some of them successes and some failures, the logarithm of P(y | f) is
  // computed from its largest value, at f = log(successes / failures): the terms of the sum of
  // logarithms are then of the order of the number of trials.
  struct Outcome {
    bool possible;
    double successes, failures, log_choices;
    bool many = false;
    double peak_at = 0.0, log_peak = 0.0;
  };
  static Tilted below_peak(const Outcome& o, double d, double height) {
    const double n = o.successes + o.failures, q = o.successes / n, rest = o.failures / n;
    // 1 + q (exp(d) - 1) over exp(max(d, 0))
    const double down = std::exp(-std::abs(d));
    const double total = d > 0.0 ? rest * down + q : rest + q * down;
    const double p = q * (d > 0.0 ? 1.0 : down) / total;
    const double other = rest * (d > 0.0 ? down : 1.0) / total;
    const double away = d > 0.0 ? -std::expm1(-d) : std::expm1(d);
    return {height + log_odds_below_peak(o.successes, o.failures, d), -n * q * rest * away / total,
            -n * p * other};
  }
  Outcome outcome(Observed y) const {
    const double successes = y.first;
    const double failures = std::isnan(y.second) ? trials_ - successes : y.second;
    if (!is_count(successes) || !is_count(failures)) return {false, 0.0, 0.0, 0.0};
    const double n = successes + failures;
    if (n >= kManyCounts && successes > 0.0 && failures > 0.0) {
      const double log_peak = 0.5 * std::log(n / (successes * failures)) - kLogSqrt2Pi +
                              stirling_error(n) - stirling_error(successes) -
                              stirling_error(failures);
      return {true, successes, failures, 0.0, true, std::log(successes / failures), log_peak};
    }
    return {true, successes, failures,
            log_gamma(n + 1.0) - log_gamma(successes + 1.0) - log_gamma(failures + 1.0)};
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
