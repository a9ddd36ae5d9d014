// The vector type for all other processors: two doubles (SSE2 on any x86-64, scalars elsewhere). No
// include guard: part of kernels_portable.cpp only.
#define GPSIEVE_TARGET

// clang-format off
#include "simd/vectors/pair.h"
// clang-format on

constexpr Isa kIsa = Isa::portable;
constexpr Index MV = 2;  // vectors in a column of the register tile: 4 x 4 uses 8 + 4 of 16
constexpr Index NR = 4;

// A packed right operand holds each element twice: SSE2 cannot load one into both lanes.
constexpr Index kCopies = 2;
GPSIEVE_INLINE Vec packed_element(const double* row, Index j) { return load(row + 2 * j); }
GPSIEVE_INLINE void store_copies(double* p, Vec v) {
  store(p, Vec{v[0], v[0]});
  store(p + 2, Vec{v[1], v[1]});
}

// c + a b and c - a b. A processor that has a fused instruction uses it everywhere: left to itself,
// the compiler would fuse some of the loops, and elements would depend on their place in the tile.
#ifdef __FP_FAST_FMA
GPSIEVE_INLINE Vec fma(Vec a, Vec b, Vec c) {
  return Vec{__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])};
}
GPSIEVE_INLINE Vec fnma(Vec a, Vec b, Vec c) { return fma(-a, b, c); }
#else
GPSIEVE_INLINE Vec fma(Vec a, Vec b, Vec c) { return c + a * b; }
GPSIEVE_INLINE Vec fnma(Vec a, Vec b, Vec c) { return c - a * b; }
#endif

// clang-format off
#include "simd/scale_body.h"
// clang-format on
