// The innermost loops for neon: see kernels.h.
#include "simd/kernels.h"

#if GPSIEVE_SIMD_NEON

#include <arm_neon.h>

#include "simd/inner_loops.h"

namespace gpsieve {
namespace kernels_neon {
namespace {

// The loops use the vectors.
// clang-format off
#include "simd/vectors/neon.h"
#include "simd/bodies.h"
// clang-format on

}  // namespace

#include "simd/table_body.h"

}  // namespace kernels_neon
}  // namespace gpsieve

#endif
