// log p(y | f) that the host computes, for several f at once. It has no hyper-parameters and is
// evaluated on the main thread only. What it returns is checked.
#include <cmath>
#include <utility>

#include "base/error.h"
#include "likelihood/factories.h"
#include "likelihood/families/quantile_mixture.h"
#include "likelihood/log_density_of.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

class FunctionLikelihood final : public Likelihood {
 public:
  FunctionLikelihood(HostLikelihood host, Response response, bool concave)
      : host_(std::move(host)), response_(response), concave_(concave) {}

  Response response() const override { return response_; }
  bool log_concave() const override { return concave_; }
  double log_density(double y, double f) const override {
    Eigen::Matrix<double, 1, 1> out;
    log_densities(y, Vector::Constant(1, f), out);
    return out[0];
  }
  void log_densities(double y, VectorIn f, VectorOut out) const override {
    out = host_.log_density(Vector::Constant(f.size(), y), f);
    for (Index i = 0; i < f.size(); ++i)
      if (std::isnan(out[i]) || out[i] == kInfinity) {
        const char* found = std::isnan(out[i]) ? "NaN" : "infinite";
        throw LikelihoodFailure(std::string("the log density is ") + found + " at " +
                                place(y, f[i]));
      }
  }
  Tilted derivatives(double y, double f) const override {
    if (!host_.derivatives) return Likelihood::derivatives(y, f);
    const double value = log_density(y, f);
    if (value == -kInfinity) return {value, 0.0, 0.0};
    const Matrix d = host_.derivatives(Vector::Constant(1, y), Vector::Constant(1, f));
    if (!d.allFinite()) throw LikelihoodFailure("a derivative is not finite at " + place(y, f));
    return {value, d(0, 0), d(0, 1)};
  }
  // Differences have errors of order 1e-9. Values that agree to this have errors far below.
  using Likelihood::tilted;
  Tilted tilted(double y, double mu, double var) const override {
    if (host_.derivatives) return Likelihood::tilted(y, mu, var);
    LogDensity density = log_density_of(*this, y);
    density.tolerance = 1e-6;
    const Jet z = integrate_tilted(density, mu, var);
    return {z.value, z.first, z.second};
  }

  Predicted predict(double mu, double var) const override {
    return mixes_quantiles() ? mixture(mu, var).moments() : Likelihood::predict(mu, var);
  }
  double cdf(double y, double mu, double var) const override {
    return mixes_quantiles() ? mixture(mu, var).cdf(y) : Likelihood::cdf(y, mu, var);
  }
  double quantile(double probability, double mu, double var) const override {
    if (!mixes_quantiles()) return Likelihood::quantile(probability, mu, var);
    require_probability(probability);
    return mixture(mu, var).quantile(probability);
  }

 private:
  static std::string place(double y, double f) {
    return "y = " + std::to_string(y) + ", f = " + std::to_string(f);
  }
  // Of counts, sums over all counts are as quick.
  bool mixes_quantiles() const { return host_.quantile && response_ == Response::real; }
  QuantileMixture mixture(double mu, double var) const { return {host_.quantile, mu, var}; }

  HostLikelihood host_;
  Response response_;
  bool concave_;
};

bool flag(const LikelihoodSpec& spec, const char* name) {
  return given_values(spec, name).at(0) > 0.0;
}

}  // namespace

std::unique_ptr<Likelihood> make_function_likelihood(const LikelihoodSpec& spec) {
  if (!spec.host.log_density) throw InvalidSpec("likelihood 'function': the function is missing");
  const Response response = flag(spec, "counts") ? Response::count : Response::real;
  return std::make_unique<FunctionLikelihood>(spec.host, response, flag(spec, "log_concave"));
}

}  // namespace gpsieve
