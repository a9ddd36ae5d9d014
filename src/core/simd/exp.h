// exp on arrays.
#ifndef GPSIEVE_SIMD_EXP_H
#define GPSIEVE_SIMD_EXP_H

#include "simd/kernels.h"

namespace gpsieve {

// y[i] = scale exp(x[i]), x and y the same array or disjoint. exp itself is within 2 units in the
// last place, denormal results included; exp(NaN) = NaN, exp(-Inf) = 0, exp(Inf) = Inf. Results do
// not depend on a value's position in the array.
inline void exp_scaled(const double* x, double* y, Index n, double scale) {
  kernels().exp_scaled(x, y, n, scale);
}

}  // namespace gpsieve

#endif
