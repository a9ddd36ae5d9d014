// P(y | f) = flip + (1 - 2 flip) Phi(y f / sqrt(noise)): a probit whose labels are swapped with
// probability flip < 1/2 (theory.md#probit-with-label-noise).
#include <cmath>

#include "base/error.h"
#include "likelihood/factories.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

class LabelNoise final : public Likelihood {
 public:
  LabelNoise(double flip, double noise) : flip_(flip), noise_(noise) {}

  Response response() const override { return Response::binary; }
  bool log_concave() const override { return false; }
  double log_density(Observed y, double f) const override { return at(y, f, noise_).log_z; }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    return at(y, mu, noise_ + var);
  }
  Tilted derivatives(Observed y, double f) const override { return at(y, f, noise_); }
  double log_probability(double mu, double var) const override {
    return at(1.0, mu, noise_ + var).log_z;
  }
  // theory.md (13)
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    grad[0] = -0.5 * (noise_ / (noise_ + var)) * mu * at(y, mu, noise_ + var).d1;
  }

  Index n_params() const override { return 1; }
  Vector params() const override { return Vector::Constant(1, std::log(noise_)); }
  void set_params(VectorIn log_params) override { noise_ = std::exp(log_params[0]); }

 private:
  // theory.md (11) and (12) with c = noise + var
  Tilted at(double y, double mu, double c) const {
    const double scale = y / std::sqrt(c), z = scale * mu;
    const normal::Site site = normal::site(z);
    const double right = (1.0 - 2.0 * flip_) * std::exp(site.log_cdf);
    const double total = flip_ + right, slope = right / total * site.r;
    return {std::log(total), scale * slope, -slope * (z + slope) / c};
  }

  double flip_, noise_;
};

}  // namespace

std::unique_ptr<Likelihood> make_label_noise(const LikelihoodSpec& spec) {
  const double flip = positive_value(spec, "flip");
  if (!(flip < 0.5)) throw InvalidSpec("likelihood 'label_noise': 'flip' must be below 1/2");
  return std::make_unique<LabelNoise>(flip, positive_value(spec, "noise"));
}

}  // namespace gpsieve
