// P(y = k | f) = Phi(c_{k+1} - f) - Phi(c_k - f), y = 0, ..., K - 1, with the cut points
// -Inf = c_0 < c_1 < ... < c_K = Inf (theory.md#ordinal).
#include <cmath>
#include <utility>

#include "base/error.h"
#include "likelihood/factories.h"
#include "math/constants.h"
#include "math/normal.h"
#include "math/normal_interval.h"

namespace gpsieve {
namespace {

class Ordinal final : public Likelihood {
 public:
  explicit Ordinal(std::vector<double> cuts) : cuts_(std::move(cuts)) {}

  Response response() const override { return Response::count; }
  bool log_concave() const override { return true; }
  double log_density(Observed y, double f) const override { return derivatives(y, f).log_z; }
  Tilted derivatives(Observed y, double f) const override { return Ordinal::tilted(y, f, 0.0); }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    if (!is_level(y)) return {-kInfinity, 0.0, 0.0};
    const double inverse = 1.0 / (1.0 + var), scale = std::sqrt(inverse);
    const normal::Interval i = interval_of(y, mu, scale);
    return {i.log_mass, scale * i.mean, inverse * i.excess};
  }
  // The first parameter moves all cut points, every other one those from its increment on.
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    const double scale = 1.0 / std::sqrt(1.0 + var);
    const normal::Interval i = interval_of(y, mu, scale);
    const auto level = static_cast<Index>(y);
    grad[0] = scale * (i.upper - i.lower);
    for (Index k = 1; k < n_params(); ++k) {
      const double moved = (level >= k ? i.upper : 0.0) - (level > k ? i.lower : 0.0);
      grad[k] = scale * moved * (cuts_[k] - cuts_[k - 1]);
    }
  }

  double cdf(double y, double mu, double var) const override {
    return normal::cdf((cut(std::floor(y) + 1.0) - mu) / std::sqrt(1.0 + var));
  }
  double quantile(double probability, double mu, double var) const override {
    require_probability(probability);
    double level = 0.0;
    while (level < last() && cdf(level, mu, var) < probability) level += 1.0;
    return level;
  }

  Index n_params() const override { return static_cast<Index>(cuts_.size()); }
  // The first cut point, and the logarithms of the distances between neighbours.
  Vector params() const override {
    Vector out(n_params());
    out[0] = cuts_.front();
    for (Index k = 1; k < out.size(); ++k) out[k] = std::log(cuts_[k] - cuts_[k - 1]);
    return out;
  }
  void set_params(VectorIn params) override {
    cuts_[0] = params[0];
    for (Index k = 1; k < n_params(); ++k) cuts_[k] = cuts_[k - 1] + std::exp(params[k]);
  }

 private:
  double last() const { return static_cast<double>(cuts_.size()); }
  bool is_level(double y) const { return y >= 0.0 && y <= last() && y == std::floor(y); }
  double cut(double k) const {
    if (k < 1.0) return -kInfinity;
    return k > last() ? kInfinity : cuts_[static_cast<std::size_t>(k) - 1];
  }
  normal::Interval interval_of(double y, double mu, double scale) const {
    return normal::interval(scale * (cut(y) - mu), scale * (cut(y + 1.0) - mu));
  }

  std::vector<double> cuts_;
};

}  // namespace

std::unique_ptr<Likelihood> make_ordinal(const LikelihoodSpec& spec) {
  const std::vector<double>& cuts = given_values(spec, "cuts");
  for (std::size_t k = 0; k < cuts.size(); ++k)
    if (!std::isfinite(cuts[k]) || (k > 0 && !(cuts[k] > cuts[k - 1])))
      throw InvalidSpec("likelihood 'ordinal': 'cuts' must be finite and increase");
  if (cuts.empty()) throw InvalidSpec("likelihood 'ordinal': 'cuts' is empty");
  return std::make_unique<Ordinal>(cuts);
}

}  // namespace gpsieve
