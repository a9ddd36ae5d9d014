// variance * (1 + r2 / (2 alpha))^-alpha: a mixture of RBF kernels of all lengthscales.
#include <cmath>

#include "kernel/factories.h"
#include "kernel/families/stationary.h"
#include "kernel/spec_values.h"

namespace gpsieve {
namespace {

class RationalQuadratic final : public Stationary {
 public:
  using Stationary::Stationary;

 protected:
  void profile(VectorOut r2) const override {
    for (Index i = 0; i < r2.size(); ++i) r2[i] = power(excess(r2[i]));
  }
  void profile_and_slope(VectorIn r2, VectorOut k, VectorOut slope) const override {
    for (Index i = 0; i < r2.size(); ++i) {
      const double u = excess(r2[i]);
      k[i] = power(u);
      slope[i] = -0.5 * k[i] / (1.0 + u);
    }
  }
  void own_gradient(VectorIn r2, VectorIn g, VectorOut grad) const override {
    for (Index i = 0; i < r2.size(); ++i) {
      const double u = excess(r2[i]), k = power(u);
      if (k > 0.0) grad[0] += g[i] * k * alpha() * (u / (1.0 + u) - std::log1p(u));
    }
  }

 private:
  double alpha() const { return own(0); }
  double excess(double r2) const { return 0.5 * r2 / alpha(); }
  double power(double u) const { return variance() * std::exp(-alpha() * std::log1p(u)); }
};

}  // namespace

std::unique_ptr<Kernel> make_rational_quadratic(const KernelSpec& spec, const InputSpace& inputs) {
  expect_values(spec, {"variance", "lengthscale", "alpha"});
  const Vector lengthscale = lengthscale_values(spec, inputs.width);
  return std::make_unique<RationalQuadratic>(
      join_values(positive_value(spec, "variance"), lengthscale, {positive_value(spec, "alpha")}),
      lengthscale.size(), inputs.rows);
}

}  // namespace gpsieve
