#include "simd/profiles.h"

#include <cmath>

namespace gpsieve {

void profile_rational_quadratic(const double* r2, double* k, Index n, double variance,
                                double alpha) {
  const double step = 0.5 / alpha;
  for (Index i = 0; i < n; ++i) k[i] = -alpha * std::log1p(step * (r2[i] < 0.0 ? 0.0 : r2[i]));
  kernels().exp_scaled(k, k, n, variance);
}

}  // namespace gpsieve
