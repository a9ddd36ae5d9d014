// Asymmetric Laplace noise, of which f is the quantile at probability tau: theory.md#quantile. The
// log density falls by tau / scale for each unit that y lies above f, and by (1 - tau) / scale for
// each unit below. All integrals but the entropies have closed forms.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "likelihood/factories.h"
#include "math/constants.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

class Quantile final : public Likelihood {
 public:
  Quantile(double tau, double scale) : tau_(tau), scale_(scale) {}

  Response response() const override { return Response::real; }
  bool log_concave() const override { return true; }

  double log_density(Observed y, double f) const override {
    const double residual = y - f;
    return log_constant() - (residual > 0.0 ? above() : -below()) * residual;
  }
  Tilted derivatives(Observed y, double f) const override {
    const double residual = y - f;
    const double slope = residual == 0.0  ? 0.5 * (above() - below())
                         : residual > 0.0 ? above()
                                          : -below();
    return {log_density(y, f), slope, 0.0};
  }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    if (var == 0.0) return derivatives(y, mu);
    const Sides s = sides(y - mu, std::sqrt(var));
    const double log_z = log_constant() + s.log_total;
    return {log_z, s.first_derivative(), std::min(0.0, s.second_derivative())};
  }
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    const double residual = y - mu;
    if (var == 0.0) {
      grad[0] = (residual > 0.0 ? above() : -below()) * residual - 1.0;
      return;
    }
    const Sides s = sides(residual, std::sqrt(var));
    grad[0] = s.share_below * s.below.slope * s.below.site.delta +
              s.share_above * s.above.slope * s.above.site.delta - 1.0;
  }

  Predicted predict(double mu, double var) const override {
    const double odds = tau_ * (1.0 - tau_);
    const double spread = scale_ / odds;
    return {mu + spread * (1.0 - 2.0 * tau_), var + spread * spread * (1.0 - 2.0 * odds)};
  }
  double cdf(double y, double mu, double var) const override {
    const double residual = y - mu;
    if (var == 0.0) {
      return residual > 0.0 ? 1.0 - (1.0 - tau_) * std::exp(-above() * residual)
                            : tau_ * std::exp(below() * residual);
    }
    const Sides s = sides(residual, std::sqrt(var));
    const double p = normal::cdf(s.standardised) - (1.0 - tau_) * std::exp(s.below.log_mass) +
                     tau_ * std::exp(s.above.log_mass);
    return std::clamp(p, 0.0, 1.0);
  }

  Index n_params() const override { return 1; }
  Vector params() const override { return Vector::Constant(1, std::log(scale_)); }
  void set_params(VectorIn log_params) override { scale_ = std::exp(log_params[0]); }

 private:
  // The integral over the f on one side of y, where the log density is linear in f: theory.md (28).
  struct Side {
    double slope;     // times the standard deviation of f
    double distance;  // of y from the mean of f, in standard deviations, positive on this side
    normal::Site site;
    double log_mass;

    Side(double slope_of_side, double distance_of_side)
        : slope(slope_of_side),
          distance(distance_of_side),
          site(normal::site(distance_of_side - slope_of_side)) {
      // Far from y on the other side the exponents nearly cancel, and far on this side r
      // underflows.
      log_mass = distance < slope ? normal::log_pdf(distance) - std::log(site.r)
                                  : slope * (0.5 * slope - distance) + site.log_cdf;
    }
    // |d log_mass / d mean| in standard deviations.
    double rate() const { return distance < slope ? distance - site.delta : slope - site.r; }
  };

  struct Sides {
    double standardised, deviation;
    Side below, above;  // f below y and f above y
    double log_total, share_below, share_above;

    double first_derivative() const {
      return is_narrow() ? (share_below * below.slope - share_above * above.slope) / deviation
                         : (share_below * below.rate() - share_above * above.rate()) / deviation;
    }
    double second_derivative() const {
      const double both = share_below * share_above;
      const double variance = deviation * deviation;
      if (is_narrow()) {
        const double slopes = below.slope + above.slope;
        const double at_kink = std::exp(normal::log_pdf(standardised) - log_total);
        return slopes * (both * slopes - at_kink) / variance;
      }
      const double rates = below.rate() + above.rate();
      return (both * rates * rates - share_below * below.site.q - share_above * above.site.q) /
             variance;
    }
    // Which of the two forms of theory.md (29) keeps its digits.
    bool is_narrow() const { return below.slope + above.slope < 1.0; }
  };

  Sides sides(double residual, double deviation) const {
    const double t = residual / deviation;
    const Side under(above() * deviation, t), over(below() * deviation, -t);
    const double top = std::max(under.log_mass, over.log_mass);
    const double total =
        top + std::log(std::exp(under.log_mass - top) + std::exp(over.log_mass - top));
    return {t,
            deviation,
            under,
            over,
            total,
            std::exp(under.log_mass - total),
            std::exp(over.log_mass - total)};
  }

  double above() const { return tau_ / scale_; }
  double below() const { return (1.0 - tau_) / scale_; }
  double log_constant() const { return std::log(tau_ * (1.0 - tau_) / scale_); }

  double tau_, scale_;
};

}  // namespace

std::unique_ptr<Likelihood> make_quantile(const LikelihoodSpec& spec) {
  const double tau = positive_value(spec, "tau");
  if (!(tau < 1.0)) throw InvalidSpec("likelihood 'quantile': 'tau' must be below 1");
  return std::make_unique<Quantile>(tau, positive_value(spec, "scale"));
}

}  // namespace gpsieve
