// Gaussian and log-normal noise, of which some responses are known to lie in an interval only.
//
// A response is a number, or 2^1000 (j + 1) for the j-th interval of the likelihood's table
// (theory.md#censored).
#include <cmath>
#include <utility>

#include "base/error.h"
#include "likelihood/factories.h"
#include "math/constants.h"
#include "math/normal.h"
#include "math/normal_interval.h"

namespace gpsieve {
namespace {

struct Bounds {
  double lower, upper;  // on the scale of the latent function
};

class Censored final : public Likelihood {
 public:
  Censored(double variance, bool log, std::vector<Bounds> table)
      : variance_(variance), log_(log), table_(std::move(table)) {}

  Response response() const override { return Response::real; }
  bool log_concave() const override { return true; }
  double log_density(double y, double f) const override { return derivatives(y, f).log_z; }
  Tilted derivatives(double y, double f) const override { return Censored::tilted(y, f, 0.0); }

  using Likelihood::tilted;
  Tilted tilted(double y, double mu, double var) const override {
    const double total = variance_ + var;
    if (y >= kFirst) {
      const Bounds& b = entry(y);
      const double scale = 1.0 / std::sqrt(total);
      const normal::Interval i = normal::interval(scale * (b.lower - mu), scale * (b.upper - mu));
      return {i.log_mass, scale * i.mean, i.excess / total};
    }
    if (log_ && !(y > 0.0)) return {-kInfinity, 0.0, 0.0};
    const double residual = line(y) - mu;
    return {-0.5 * (std::log(total) + residual * residual / total) - kLogSqrt2Pi -
                (log_ ? std::log(y) : 0.0),
            residual / total, -1.0 / total};
  }
  void tilted_gradient(double y, double mu, double var, VectorOut grad) const override {
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
  static constexpr double kFirst = 0x1p1000;

  double line(double y) const { return log_ ? std::log(y) : y; }
  const Bounds& entry(double y) const {
    const double j = y / kFirst - 1.0;
    if (!(j < static_cast<double>(table_.size())))
      throw InvalidSpec("a censored response is not in the likelihood's table");
    return table_[static_cast<std::size_t>(j)];
  }

  double variance_;
  bool log_;
  std::vector<Bounds> table_;
};

std::unique_ptr<Likelihood> make_with_table(const LikelihoodSpec& spec, bool log) {
  const bool censored = spec.values.count("lower") > 0;
  std::vector<Bounds> table;
  if (censored) {
    const auto& lower = given_values(spec, "lower");
    const auto& upper = given_values(spec, "upper");
    if (lower.size() != upper.size())
      throw InvalidSpec("likelihood '" + spec.type + "': as many upper as lower bounds");
    for (std::size_t j = 0; j < lower.size(); ++j) {
      if (!(lower[j] < upper[j]) || (log && !(lower[j] >= 0.0)))
        throw InvalidSpec("likelihood '" + spec.type + "': an interval is empty");
      table.push_back(log ? Bounds{std::log(lower[j]), std::log(upper[j])}
                          : Bounds{lower[j], upper[j]});
    }
  }
  return std::make_unique<Censored>(positive_value(spec, "variance"), log, std::move(table));
}

}  // namespace

std::unique_ptr<Likelihood> make_censored_gaussian(const LikelihoodSpec& spec) {
  return make_with_table(spec, false);
}

std::unique_ptr<Likelihood> make_lognormal(const LikelihoodSpec& spec) {
  return make_with_table(spec, true);
}

}  // namespace gpsieve
