// The vector type for all other processors in single precision: four floats (SSE2 on any x86-64,
// scalars elsewhere). No include guard: part of kernels_portable.cpp only.

// clang-format off
#include "simd/vectors/single_quad.h"
// clang-format on

constexpr Index MV = 2;  // vectors in a column of the register tile: 8 x 4 uses 8 + 4 of 16
constexpr Index NR = 4;

// c + a b: fused on processors that have the instruction, as in vectors/portable.h.
#ifdef __FP_FAST_FMAF
GPSIEVE_INLINE Vec fma(Vec a, Vec b, Vec c) {
  return Vec{__builtin_fmaf(a[0], b[0], c[0]), __builtin_fmaf(a[1], b[1], c[1]),
             __builtin_fmaf(a[2], b[2], c[2]), __builtin_fmaf(a[3], b[3], c[3])};
}
#else
GPSIEVE_INLINE Vec fma(Vec a, Vec b, Vec c) { return c + a * b; }
#endif
