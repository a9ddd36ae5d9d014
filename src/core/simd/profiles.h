// Stationary covariance functions of the scaled squared distance r2, on arrays: the last step of a
// Gram block while it is still in the cache.
//
// Negative r2 (rounding in |x|^2 + |z|^2 - 2 x'z) counts as 0; NaN stays NaN; r2 = Inf gives 0.
// r2 and k are the same array or disjoint. Results do not depend on a value's position.
#ifndef GPSIEVE_SIMD_PROFILES_H
#define GPSIEVE_SIMD_PROFILES_H

#include "simd/kernels.h"

namespace gpsieve {

// variance exp(-r2 / 2)
inline void profile_rbf(const double* r2, double* k, Index n, double variance) {
  kernels().rbf(r2, k, n, variance);
}

// variance exp(-r)
inline void profile_matern12(const double* r2, double* k, Index n, double variance) {
  kernels().matern12(r2, k, n, variance);
}

// variance (1 + s) exp(-s), s = sqrt(3) r
inline void profile_matern32(const double* r2, double* k, Index n, double variance) {
  kernels().matern32(r2, k, n, variance);
}

// variance (1 + s + s^2 / 3) exp(-s), s = sqrt(5) r
inline void profile_matern52(const double* r2, double* k, Index n, double variance) {
  kernels().matern52(r2, k, n, variance);
}

// The values k of the profiles and the slopes dk/dr2, 0 where r2 = Inf; that of exp(-r) at r = 0,
// where there is none, is 0.
inline void slope_matern12(const double* r2, double* k, double* slope, Index n, double variance) {
  kernels().matern12_slope(r2, k, slope, n, variance);
}
inline void slope_matern32(const double* r2, double* k, double* slope, Index n, double variance) {
  kernels().matern32_slope(r2, k, slope, n, variance);
}
inline void slope_matern52(const double* r2, double* k, double* slope, Index n, double variance) {
  kernels().matern52_slope(r2, k, slope, n, variance);
}

}  // namespace gpsieve

#endif
