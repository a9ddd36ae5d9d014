#include "likelihood/powered.h"

#include <cmath>

#include "base/error.h"
#include "math/constants.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

// The integral of p^power N is left to quadrature, except for Gaussian noise: theory.md (18).
class Powered : public Likelihood {
 public:
  Powered(const LikelihoodMaker& make, double power) : base_(make()), power_(power) {}

  Response response() const override { return base_->response(); }
  Index columns() const override { return base_->columns(); }
  bool log_concave() const override { return base_->log_concave(); }
  bool gaussian() const override { return base_->gaussian(); }
  bool warped() const override { return base_->warped(); }
  double log_density(Observed y, double f) const override {
    return power_ * base_->log_density(y, f);
  }
  Tilted derivatives(Observed y, double f) const override {
    const Tilted of_base = base_->derivatives(y, f);
    return {power_ * of_base.log_z, power_ * of_base.d1, power_ * of_base.d2};
  }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    if (!base_->gaussian()) return Likelihood::tilted(y, mu, var);
    const double noise = base_->noise_variance(), total = noise / power_ + var;
    const double residual = base_->latent_response(y) - mu;
    return {power_ * base_->log_jacobian(y) +
                0.5 * (1.0 - power_) * (std::log(noise) + 2.0 * kLogSqrt2Pi) -
                0.5 * (std::log(power_ * total) + residual * residual / total) - kLogSqrt2Pi,
            residual / total, -1.0 / total};
  }

  Index n_params() const override { return base_->n_params(); }
  Vector params() const override { return base_->params(); }
  void set_params(VectorIn log_params) override { base_->set_params(log_params); }

 private:
  std::unique_ptr<Likelihood> base_;
  double power_;
};

// Gradients by central differences between likelihoods with neighbouring parameters: log Z is
// smooth in the log parameters, is accurate to 1e-11, and has few of them.
class PoweredWithGradient final : public Powered {
 public:
  PoweredWithGradient(const LikelihoodMaker& make, double power) : Powered(make, power) {
    for (Index i = 0; i < 4 * n_params(); ++i) neighbours_.emplace_back(make, power);
    place_neighbours();
  }

  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    for (Index p = 0; p < n_params(); ++p) {
      const auto log_z = [&](Index i) { return neighbours_[4 * p + i].tilted(y, mu, var).log_z; };
      grad[p] = (log_z(0) - 8.0 * log_z(1) + 8.0 * log_z(2) - log_z(3)) / (12.0 * kStep);
    }
  }
  void set_params(VectorIn log_params) override {
    Powered::set_params(log_params);
    place_neighbours();
  }

 private:
  static constexpr double kStep = 1e-3;

  void place_neighbours() {
    constexpr double kOffsets[] = {-2.0, -1.0, 1.0, 2.0};
    for (Index p = 0; p < n_params(); ++p)
      for (Index i = 0; i < 4; ++i) {
        Vector moved = params();
        moved[p] += kOffsets[i] * kStep;
        neighbours_[4 * p + i].set_params(moved);
      }
  }

  std::vector<Powered> neighbours_;
};

}  // namespace

std::unique_ptr<Likelihood> powered(const LikelihoodMaker& make, double power) {
  if (!(power > 0.0 && power <= 1.0)) throw InvalidSpec("the power of EP must be in (0, 1]");
  if (power == 1.0) return make();
  return std::make_unique<PoweredWithGradient>(make, power);
}

}  // namespace gpsieve
