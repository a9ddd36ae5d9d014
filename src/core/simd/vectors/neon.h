// What a vector is on arm64. No include guard: part of kernels_neon.cpp only.
#define GPSIEVE_TARGET

// clang-format off
#include "simd/vectors/pair.h"
// clang-format on

constexpr Isa kIsa = Isa::neon;
constexpr Index MV = 3;  // vectors in a column of the register tile: 6 x 8 uses 24 + 4 of 32
constexpr Index NR = 8;

// A packed right operand holds each element once: loading it into every lane is one instruction.
constexpr Index kCopies = 1;
GPSIEVE_INLINE Vec packed_element(const double* row, Index j) { return set1(row[j]); }
GPSIEVE_INLINE void store_copies(double* p, Vec v) { store(p, v); }

GPSIEVE_INLINE Vec fma(Vec a, Vec b, Vec c) { return (Vec)vfmaq_f64(c, a, b); }   // c + a b
GPSIEVE_INLINE Vec fnma(Vec a, Vec b, Vec c) { return (Vec)vfmsq_f64(c, a, b); }  // c - a b

// clang-format off
#include "simd/scale_body.h"
// clang-format on
