// P(y | f) = Phi(y f / sqrt(noise)), y = -1 or +1. The integral is theory.md (8) and (9). Without
// noise it is the step function, and there is no hyper-parameter.
#include <algorithm>
#include <cmath>
#include <limits>

#include "likelihood/factories.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

class Probit final : public Likelihood {
 public:
  explicit Probit(double noise) : noise_(noise) {}

  Response response() const override { return Response::binary; }
  bool log_concave() const override { return true; }
  double log_density(Observed y, double f) const override { return log_side(y * f, noise_); }

  Tilted tilted(Observed y, double mu, double var) const override {
    const double inverse = 1.0 / (noise_ + var), scale = y * std::sqrt(inverse);
    return from_site(normal::site(scale * mu), scale, inverse);
  }
  void tilted(MatrixIn y, VectorIn mu, VectorIn var, VectorOut log_z, VectorOut d1,
              VectorOut d2) const override {
    normal::SiteBlock sites;
    double inverse[kBlock], scale[kBlock];
    for (Index begin = 0; begin < y.rows(); begin += kBlock) {
      const Index count = std::min(kBlock, y.rows() - begin);
      for (Index k = 0; k < count; ++k) {
        inverse[k] = 1.0 / (noise_ + var[begin + k]);
        scale[k] = y(begin + k, 0) * std::sqrt(inverse[k]);
        sites.z[k] = scale[k] * mu[begin + k];
      }
      sites.evaluate(count);
      for (Index k = 0; k < count; ++k) {
        const Tilted t = from_site(sites[k], scale[k], inverse[k]);
        log_z[begin + k] = t.log_z;
        d1[begin + k] = t.d1;
        d2[begin + k] = t.d2;
      }
    }
  }
  // theory.md (13)
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    if (step()) return;
    const Tilted t = Probit::tilted(y, mu, var);
    grad[0] = -0.5 * (noise_ / (noise_ + var)) * mu * t.d1;
  }
  Tilted derivatives(Observed y, double f) const override { return Probit::tilted(y, f, 0.0); }
  // theory.md (10)
  double third_derivative(Observed y, double f) const override {
    const double scale = y / std::sqrt(noise_);
    const normal::Site s = normal::site(scale * f);
    return -scale * scale * scale * s.r * (s.omega - s.delta * s.delta);
  }
  double step_noise() const override { return noise_; }
  double log_probability(double mu, double var) const override {
    return log_side(mu, noise_ + var);
  }
  bool step() const override { return noise_ == 0.0; }

  Index n_params() const override { return step() ? 0 : 1; }
  Vector params() const override { return Vector::Constant(n_params(), std::log(noise_)); }
  void set_params(VectorIn log_params) override {
    if (!step()) noise_ = std::exp(log_params[0]);
  }

 private:
  static constexpr Index kBlock = normal::SiteBlock::kSize;

  // log P(N(mu, var) > 0); half of the cases are positive where both are 0.
  static double log_side(double mu, double var) {
    if (var > 0.0) return normal::log_cdf(mu / std::sqrt(var));
    if (mu == 0.0) return normal::log_cdf(0.0);
    return mu > 0.0 ? 0.0 : -std::numeric_limits<double>::infinity();
  }

  // With z = scale mu, scale = y / sqrt(noise + var) and inverse = scale^2
  static Tilted from_site(const normal::Site& s, double scale, double inverse) {
    return {s.log_cdf, scale * s.r, -s.q * inverse};
  }

  double noise_;
};

}  // namespace

std::unique_ptr<Likelihood> make_probit(const LikelihoodSpec& spec) {
  return std::make_unique<Probit>(positive_value(spec, "noise", true));
}

}  // namespace gpsieve
