// The innermost loops for avx512: see kernels.h.
#include "simd/kernels.h"

#if GPSIEVE_SIMD_X86

#include <immintrin.h>

#include "simd/inner_loops.h"
#include "simd/unaligned_moves.h"

namespace gpsieve {
namespace kernels_avx512 {
namespace {

// The loops use the vectors.
// clang-format off
#include "simd/vectors/avx512.h"
#include "simd/bodies.h"
// clang-format on

}  // namespace

#include "simd/table_body.h"

}  // namespace kernels_avx512
}  // namespace gpsieve

#endif
