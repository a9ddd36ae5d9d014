// variance * exp(-r2 / 2)
#include <cmath>

#include "kernel/factories.h"
#include "kernel/spec_values.h"
#include "kernel/stationary.h"

namespace gpsieve {
namespace {

class Rbf final : public Stationary {
 public:
  using Stationary::Stationary;

 protected:
  void profile(VectorOut r2) const override {
    for (Index i = 0; i < r2.size(); ++i) r2[i] = variance() * std::exp(-0.5 * r2[i]);
  }
  void profile_and_slope(VectorIn r2, VectorOut k, VectorOut slope) const override {
    k = r2;
    profile(k);
    slope = -0.5 * k;
  }
};

}  // namespace

std::unique_ptr<Kernel> make_rbf(const KernelSpec& spec, Index p) {
  expect_values(spec, {"variance", "lengthscale"});
  const Vector lengthscale = lengthscale_values(spec, p);
  return std::make_unique<Rbf>(join_values(positive_value(spec, "variance"), lengthscale),
                               lengthscale.size());
}

}  // namespace gpsieve
