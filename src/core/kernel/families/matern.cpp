// Matern kernels of half-integer order nu = 1/2, 3/2, 5/2, with t = sqrt(2 nu r2):
//   variance * exp(-t),  variance * (1 + t) exp(-t),  variance * (1 + t + t^2 / 3) exp(-t).
// nu is a constant, not a hyper-parameter.
#include "kernel/factories.h"
#include "kernel/families/stationary.h"
#include "kernel/spec_values.h"
#include "simd/profiles.h"

namespace gpsieve {
namespace {

struct Half {
  static constexpr auto profile = profile_matern12;
  static constexpr auto slope = slope_matern12;
};
struct ThreeHalves {
  static constexpr auto profile = profile_matern32;
  static constexpr auto slope = slope_matern32;
};
struct FiveHalves {
  static constexpr auto profile = profile_matern52;
  static constexpr auto slope = slope_matern52;
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
    Order::slope(r2.data(), k.data(), slope.data(), r2.size(), variance());
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
