// Counts with the mean m = exp(f) and the variance m + m^2 / size (theory.md#negative-binomial).
#include <algorithm>
#include <cmath>

#include "likelihood/count_entropy.h"
#include "likelihood/factories.h"
#include "likelihood/families/log_link.h"
#include "likelihood/families/tilted_average.h"
#include "likelihood/families/zero_inflated.h"
#include "math/constants.h"
#include "math/gamma.h"
#include "math/gaussian_expectation.h"
#include "math/incomplete.h"
#include "math/log_odds_sum.h"
#include "math/quadrature.h"
#include "math/tilted_integral.h"

namespace gpsieve {
namespace {

// log P of one count as a function of f: what does not depend on f is computed once.
class OneCount {
 public:
  OneCount(double y, double size) : y_(y), size_(size), log_size_(std::log(size)) {
    if (y == 0.0) return;
    log_y_ = std::log(y);
    peak_ = 0.5 * std::log(size / ((size + y) * y)) - kLogSqrt2Pi + stirling_error(size + y) -
            stirling_error(size) - stirling_error(y);
  }
  // theory.md (20): log P is computed from its largest value, at f = log y.
  double value(double f) const {
    if (y_ == 0.0) return -size_ * log1p_exp(f - log_size_);
    const double n = size_ + y_, d = f - log_y_;
    // The form whose terms are the smaller, of the order of the smaller of size and y.
    if (y_ < size_) return peak_ + y_ * d - n * log_mixture(y_ / n, d);
    return peak_ - size_ * d - n * log_mixture(size_ / n, -d);
  }
  Tilted derivatives(double f) const {
    const double share = logistic(f - log_size_), rest = logistic(log_size_ - f);
    return {value(f), y_ * rest - size_ * share, -(size_ + y_) * share * rest};
  }

 private:
  // log(1 + q (exp(d) - 1)) for 0 < q < 1
  static double log_mixture(double q, double d) {
    return d > 30.0 ? d + std::log(q + (1.0 - q) * std::exp(-d)) : std::log1p(q * std::expm1(d));
  }

  double y_, size_, log_size_, log_y_ = 0.0, peak_ = 0.0;
};

class NegativeBinomial final : public Likelihood {
 public:
  explicit NegativeBinomial(double size) : size_(size) {}

  Response response() const override { return Response::count; }
  bool log_concave() const override { return true; }
  double log_density(Observed y, double f) const override {
    return is_count(y) ? OneCount(y, size_).value(f) : -kInfinity;
  }
  Tilted derivatives(Observed y, double f) const override {
    if (!is_count(y)) return {-kInfinity, 0.0, 0.0};
    return OneCount(y, size_).derivatives(f);
  }
  double third_derivative(Observed y, double f) const override {
    const double share = logistic(f - std::log(size_)), rest = logistic(std::log(size_) - f);
    return -(size_ + y) * share * rest * (rest - share);
  }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    return is_count(y) ? tilted_at(y, mu, var) : Likelihood::tilted(y, mu, var);
  }
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    const double by_gamma = digamma(size_ + y) - digamma(size_) + 1.0, log_size = std::log(size_);
    const OneCount count(y, size_);
    const auto log_density = [&count](double f) { return count.value(f); };
    grad[0] =
        size_ * tilted_average(tilted(y, mu, var), log_density, mu, var, feature(), [&](double f) {
          const double u = f - log_size;
          return by_gamma - log1p_exp(u) - (1.0 + y / size_) * logistic(-u);
        });
  }

  Predicted predict(double mu, double var) const override {
    return log_normal_mixture(mu, var, 1.0 / size_, 1.0);
  }
  double cdf(double y, double mu, double var) const override {
    if (y < 0.0) return 0.0;
    if (std::isinf(y)) return 1.0;
    const double k = std::floor(y) + 1.0, log_size = std::log(size_);
    // From this many counts on, a beta variable times k is a gamma variable to the last digit.
    constexpr double kUncountable = 1e16;
    const auto given = [&](double f) {
      return k < kUncountable ? beta_cdf(logistic(log_size - f), logistic(f - log_size), size_, k)
                              : gamma_cdf(std::exp(std::log(k) + log_size - f), size_);
    };
    // The log-odds of a beta distribution of a small size have too long a tail.
    constexpr double kLongTail = 0.1;
    if (size_ < kLongTail) return gaussian_expectation(given, mu, var);
    // As for Poisson counts, the narrower one is integrated numerically.
    const bool narrow = var * size_ / (size_ / k + 1.0) < 1.0 && var < 0.5;
    // P(Y < k) = P(B < size / (size + exp(f))) with B of the beta distribution of size and k
    // (theory.md#negative-binomial).
    return narrow ? gaussian_average<32>(given, mu, std::sqrt(var))
                  : log_odds_sum_cdf(size_, k, log_size - mu, var);
  }

  double entropy(double f) const override { return predictive_entropy(f, 0.0); }
  double predictive_entropy(double mu, double var) const override {
    return count_entropy([&](double y) { return tilted_at(y, mu, var).log_z; }, mu, var);
  }

  Index n_params() const override { return 1; }
  Vector params() const override { return Vector::Constant(1, std::log(size_)); }
  void set_params(VectorIn log_params) override { size_ = std::exp(log_params[0]); }

 private:
  Tilted tilted_at(double y, double mu, double var) const {
    const OneCount count(y, size_);
    const auto at = [&count](double f) {
      const Tilted l = count.derivatives(f);
      return Jet{l.log_z, l.d1, l.d2};
    };
    const Jet z = integrate_tilted({at, true}, mu, var);
    return {z.value, z.first, z.second};
  }
  static bool is_count(double y) { return y >= 0.0 && y == std::floor(y) && !std::isinf(y); }
  double feature() const { return 0.9 / std::sqrt(1.0 + size_); }

  double size_;
};

}  // namespace

std::unique_ptr<Likelihood> make_negative_binomial(const LikelihoodSpec& spec) {
  return with_zero_inflation(spec,
                             std::make_unique<NegativeBinomial>(positive_value(spec, "size")));
}

}  // namespace gpsieve
