// The speed of the matrix product.
#ifndef GPSIEVE_LINALG_GEMM_RATE_H
#define GPSIEVE_LINALG_GEMM_RATE_H

#include "base/types.h"

namespace gpsieve {

// GFlop a second: the best of the products of two size x size matrices that take 50 ms together, at
// least five.
double gemm_rate(Index size);

}  // namespace gpsieve

#endif
