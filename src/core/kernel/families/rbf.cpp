// variance * exp(-r2 / 2)
#include "kernel/factories.h"
#include "kernel/families/stationary.h"
#include "kernel/spec_values.h"
#include "simd/profiles.h"

namespace gpsieve {
namespace {

class Rbf final : public Stationary {
 public:
  using Stationary::Stationary;

 protected:
  void profile(VectorOut r2) const override {
    profile_rbf(r2.data(), r2.data(), r2.size(), variance());
  }
  void profile_and_slope(VectorIn r2, VectorOut k, VectorOut slope) const override {
    k = r2;
    profile(k);
    slope = -0.5 * k;
  }
};

}  // namespace

std::unique_ptr<Kernel> make_rbf(const KernelSpec& spec, const InputSpace& inputs) {
  expect_values(spec, {"variance", "lengthscale"});
  const Vector lengthscale = lengthscale_values(spec, inputs.width);
  return std::make_unique<Rbf>(join_values(positive_value(spec, "variance"), lengthscale),
                               lengthscale.size(), inputs.rows);
}

}  // namespace gpsieve
