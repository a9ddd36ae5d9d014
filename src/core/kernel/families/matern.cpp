// Matern kernels of half-integer order nu = 1/2, 3/2, 5/2, with t = sqrt(2 nu r2):
//   variance * exp(-t),  variance * (1 + t) exp(-t),  variance * (1 + t + t^2 / 3) exp(-t).
// nu is a constant, not a hyper-parameter.
#include <cmath>

#include "kernel/factories.h"
#include "kernel/families/stationary.h"
#include "kernel/spec_values.h"
#include "simd/profiles.h"

namespace gpsieve {
namespace {

// `decay` is exp(-t). Slopes are dk/dr2 = nu / t * dk/dt.
struct Half {
  static constexpr double nu = 0.5;
  static constexpr auto profile = profile_matern12;
  static double value(double, double decay) { return decay; }
  // The kink at r = 0 has no derivative; 0 is its symmetric choice.
  static double slope(double t, double decay) { return t > 0.0 ? -0.5 * decay / t : 0.0; }
};
struct ThreeHalves {
  static constexpr double nu = 1.5;
  static constexpr auto profile = profile_matern32;
  static double value(double t, double decay) { return (1.0 + t) * decay; }
  static double slope(double, double decay) { return -1.5 * decay; }
};
struct FiveHalves {
  static constexpr double nu = 2.5;
  static constexpr auto profile = profile_matern52;
  static double value(double t, double decay) { return (1.0 + t * (1.0 + t / 3.0)) * decay; }
  static double slope(double t, double decay) { return -5.0 / 6.0 * (1.0 + t) * decay; }
};

template <class Order>
class Matern final : public Stationary {
 public:
  using Stationary::Stationary;

 protected:
  void profile(VectorOut r2) const override {
    Order::profile(r2.data(), r2.data(), r2.size(), variance());
  }
  void profile_and_slope(VectorIn r2, VectorOut k, VectorOut slope) const override {
    for (Index i = 0; i < r2.size(); ++i) {
      const double t = std::sqrt(2.0 * Order::nu * r2[i]), decay = variance() * std::exp(-t);
      k[i] = decay > 0.0 ? Order::value(t, decay) : 0.0;  // t may be infinite
      slope[i] = decay > 0.0 ? Order::slope(t, decay) : 0.0;
    }
  }
};

}  // namespace

std::unique_ptr<Kernel> make_matern(const KernelSpec& spec, const InputSpace& inputs) {
  expect_values(spec, {"nu", "variance", "lengthscale"});
  const double nu = positive_value(spec, "nu");
  const Vector lengthscale = lengthscale_values(spec, inputs.width);
  const Vector values = join_values(positive_value(spec, "variance"), lengthscale);
  if (nu == 0.5) return std::make_unique<Matern<Half>>(values, lengthscale.size(), inputs.rows);
  if (nu == 1.5)
    return std::make_unique<Matern<ThreeHalves>>(values, lengthscale.size(), inputs.rows);
  if (nu == 2.5)
    return std::make_unique<Matern<FiveHalves>>(values, lengthscale.size(), inputs.rows);
  refuse_value(spec, "nu", "0.5, 1.5 or 2.5", nu);
}

}  // namespace gpsieve
