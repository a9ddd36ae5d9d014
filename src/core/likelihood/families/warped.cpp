// Gaussian noise about a function of a warped response: theory.md#warped.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "likelihood/factories.h"
#include "math/constants.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

// log cosh x without overflow.
double log_cosh(double x) {
  const double size = std::abs(x);
  return size + std::log1p(std::exp(-2.0 * size)) - std::log(2.0);
}

// The sinh-arcsinh map z = sinh(tail asinh((l - centre) / scale) - skew) of the response l = y, or
// of its logarithm.
struct Warp {
  double skew, tail, centre, scale;
  bool log;

  bool has_value(double y) const { return !log || y > 0.0; }
  // asinh((l - centre) / scale)
  double arc(double y) const { return std::asinh(((log ? std::log(y) : y) - centre) / scale); }
  // asinh z
  double bent(double arc) const { return tail * arc - skew; }
  double log_slope(double y) const {
    const double a = arc(y);
    return log_cosh(bent(a)) - log_cosh(a) + std::log(tail / scale) - (log ? std::log(y) : 0.0);
  }
  // l as a function of asinh z
  double line(double arc_z) const { return centre + scale * std::sinh((arc_z + skew) / tail); }
  double response(double arc_z) const { return log ? std::exp(line(arc_z)) : line(arc_z); }
  // log dz/dy as a function of asinh z
  double log_slope_at(double arc_z) const {
    return log_cosh(arc_z) - log_cosh((arc_z + skew) / tail) + std::log(tail / scale) -
           (log ? line(arc_z) : 0.0);
  }
};

// E h(asinh z), z ~ N(mu, var), by the trapezoidal rule in asinh z, in which densities and
// responses have no singularity near the line: theory.md#warped. Infinite where the integrand has
// not decreased at the ends of the range.
template <class Function>
double expectation_in_arcs(const Function& h, double mu, double var) {
  constexpr int kPanels = 160;
  constexpr double kReach = 10.0;      // standard deviations
  constexpr double kDiverging = 1e-6;  // the share of an end in the sum
  const double sd = std::sqrt(var);
  const double low = std::asinh(mu - kReach * sd), high = std::asinh(mu + kReach * sd);
  if (!(high > low)) return h(std::asinh(mu));
  const double step = (high - low) / kPanels;
  double sum = 0.0, mass = 0.0, size = 0.0, end = 0.0;
  for (int i = 0; i <= kPanels; ++i) {
    const double arc = low + i * step;
    const double away = (std::sinh(arc) - mu) / sd;
    const double weight = std::exp(-0.5 * away * away) * std::cosh(arc);
    if (weight == 0.0) continue;
    const double term = weight * h(arc);
    sum += term;
    size += std::abs(term);
    mass += weight;
    if (i == 0 || i == kPanels) end = std::max(end, std::abs(term));
  }
  return end > kDiverging * size || !std::isfinite(sum) ? kInfinity : sum / mass;
}

class Warped final : public Likelihood {
 public:
  Warped(double variance, const Warp& warp) : variance_(variance), warp_(warp) {}

  Response response() const override { return Response::real; }
  bool log_concave() const override { return true; }
  bool gaussian() const override { return true; }
  bool warped() const override { return true; }
  double noise_variance() const override { return variance_; }
  double latent_response(Observed y) const override { return std::sinh(warp_.bent(warp_.arc(y))); }
  double log_jacobian(Observed y) const override {
    return warp_.has_value(y) ? warp_.log_slope(y) : -kInfinity;
  }
  double log_density(Observed y, double f) const override { return derivatives(y, f).log_z; }
  Tilted derivatives(Observed y, double f) const override { return Warped::tilted(y, f, 0.0); }
  double third_derivative(Observed, double) const override { return 0.0; }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    if (!warp_.has_value(y)) return {-kInfinity, 0.0, 0.0};
    const double total = variance_ + var, residual = latent_response(y) - mu;
    return {
        -0.5 * (std::log(total) + residual * residual / total) - kLogSqrt2Pi + warp_.log_slope(y),
        residual / total, -1.0 / total};
  }
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    const Tilted t = Warped::tilted(y, mu, var);
    const double arc = warp_.arc(y), bent = warp_.bent(arc);
    // By asinh z, of which the skew is subtracted and which is proportional to the tail but for it.
    const double by_bent = std::tanh(bent) - t.d1 * std::cosh(bent);
    grad[0] = 0.5 * variance_ * (t.d1 * t.d1 + t.d2);
    grad[1] = -by_bent;
    grad[2] = 1.0 + warp_.tail * arc * by_bent;
  }

  Predicted predict(double mu, double var) const override {
    const double total = variance_ + var;
    const double mean =
        expectation_in_arcs([&](double arc) { return warp_.response(arc); }, mu, total);
    if (!std::isfinite(mean)) return {kInfinity, kInfinity};
    return {mean, expectation_in_arcs(
                      [&](double arc) {
                        const double away = warp_.response(arc) - mean;
                        return away * away;
                      },
                      mu, total)};
  }
  double cdf(double y, double mu, double var) const override {
    if (!warp_.has_value(y)) return 0.0;
    return normal::cdf((latent_response(y) - mu) / std::sqrt(variance_ + var));
  }
  double quantile(double probability, double mu, double var) const override {
    require_probability(probability);
    return warp_.response(
        std::asinh(mu + std::sqrt(variance_ + var) * normal::quantile(probability)));
  }

  double entropy(double f) const override { return Warped::predictive_entropy(f, 0.0); }
  double predictive_entropy(double mu, double var) const override {
    const double total = variance_ + var;
    return 0.5 * std::log(total) + kLogSqrt2Pi + 0.5 -
           expectation_in_arcs([&](double arc) { return warp_.log_slope_at(arc); }, mu, total);
  }
  double information(double, double var) const override {
    return 0.5 * std::log1p(var / variance_);
  }

  Index n_params() const override { return 3; }
  Vector params() const override {
    Vector out(3);
    out << std::log(variance_), warp_.skew, std::log(warp_.tail);
    return out;
  }
  void set_params(VectorIn params) override {
    variance_ = std::exp(params[0]);
    warp_.skew = params[1];
    warp_.tail = std::exp(params[2]);
  }

 private:
  double variance_;
  Warp warp_;
};

double finite_value(const LikelihoodSpec& spec, const char* name) {
  const std::vector<double>& given = given_values(spec, name);
  if (given.size() != 1 || !std::isfinite(given.front()))
    throw InvalidSpec("likelihood '" + spec.type + "': '" + name + "' must be one finite number");
  return given.front();
}

std::unique_ptr<Likelihood> make_warped(const LikelihoodSpec& spec, bool log) {
  const Warp warp{finite_value(spec, "skew"), positive_value(spec, "tail"),
                  finite_value(spec, "center"), positive_value(spec, "scale"), log};
  return std::make_unique<Warped>(positive_value(spec, "variance"), warp);
}

}  // namespace

std::unique_ptr<Likelihood> make_warped(const LikelihoodSpec& spec) {
  return make_warped(spec, false);
}

std::unique_ptr<Likelihood> make_warped_log(const LikelihoodSpec& spec) {
  return make_warped(spec, true);
}

}  // namespace gpsieve
