// P(y | f) = 1 / (1 + exp(-y f)), y = -1 or +1. The integral over f is left to quadrature.
#include <algorithm>
#include <cmath>

#include "likelihood/factories.h"

namespace gpsieve {
namespace {

class Logit final : public Likelihood {
 public:
  Response response() const override { return Response::binary; }
  bool log_concave() const override { return true; }

  double log_density(Observed y, double f) const override { return derivatives(y, f).log_z; }

  // Computed from e = exp(-|y f|) <= 1 alone, so that nothing overflows or cancels.
  Tilted derivatives(Observed y, double f) const override {
    const double margin = y * f;
    const double e = std::exp(-std::abs(margin));
    const double against = (margin >= 0.0 ? e : 1.0) / (1.0 + e);  // P(-y | f)
    return {std::min(margin, 0.0) - std::log1p(e), y * against, -e / ((1.0 + e) * (1.0 + e))};
  }
  double third_derivative(Observed, double f) const override {
    const double e = std::exp(-std::abs(f));
    const double curvature = e / ((1.0 + e) * (1.0 + e));
    return curvature * std::copysign((1.0 - e) / (1.0 + e), f);
  }
};

}  // namespace

std::unique_ptr<Likelihood> make_logit(const LikelihoodSpec&) { return std::make_unique<Logit>(); }

}  // namespace gpsieve
