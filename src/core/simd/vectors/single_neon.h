// What a vector of single precision is on arm64. No include guard: part of kernels_neon.cpp only.

// clang-format off
#include "simd/vectors/single_quad.h"
// clang-format on

constexpr Index MV = 3;  // vectors in a column of the register tile: 12 x 8 uses 24 + 4 of 32
constexpr Index NR = 8;

GPSIEVE_INLINE Vec fma(Vec a, Vec b, Vec c) { return (Vec)vfmaq_f32(c, a, b); }  // c + a b
