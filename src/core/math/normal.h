// The standard normal distribution, accurate in relative terms for every double.
#ifndef GPSIEVE_MATH_NORMAL_H
#define GPSIEVE_MATH_NORMAL_H

#include "simd/kernels.h"

namespace gpsieve::normal {

double log_pdf(double z);
double cdf(double z);
double log_cdf(double z);
double quantile(double probability);  // -Inf at 0, +Inf at 1, NaN outside [0, 1]

// What a probit site needs at z, with phi the density and Phi the distribution function:
//   r     = phi / Phi = d log Phi / dz                 > 0
//   delta = r + z                                      > 0
//   q     = r delta = -d^2 log Phi / dz^2              in (0, 1)
//   omega = 1 - q = Var[x | x > -z], x standard normal in (0, 1]
// Each is computed without cancellation. r and q underflow to 0 for z > 38.6, omega for z < -1e154.
struct Site {
  double log_cdf, r, delta, q, omega;
};
Site site(double z);

// The sites of up to kSize numbers z, each with the bits that site() gives.
struct SiteBlock {
  static constexpr Index kSize = 256;
  double z[kSize], log_cdf[kSize], r[kSize], delta[kSize], q[kSize], omega[kSize];

  void evaluate(Index n) { kernels().normal_sites(z, n, {log_cdf, r, delta, q, omega}); }
  Site operator[](Index i) const { return {log_cdf[i], r[i], delta[i], q[i], omega[i]}; }
};

}  // namespace gpsieve::normal

#endif
