// The vector type on AVX-512F in single precision. No include guard: part of kernels_avx512.cpp
// only.

// clang-format off
#include "simd/vectors/single_chains.h"
// clang-format on

constexpr Index L = 16;  // floats in a vector
constexpr Index MV = 3;  // vectors in a column of the register tile: 48 x 8 uses 24 + 4 of 32
constexpr Index NR = 8;

using Vec = __m512;
using Mask = __mmask16;

GPSIEVE_INLINE Vec zero() { return _mm512_setzero_ps(); }
GPSIEVE_INLINE Vec set1(float x) { return _mm512_set1_ps(x); }
GPSIEVE_INLINE Vec load(const float* p) { return _mm512_loadu_ps(p); }
GPSIEVE_INLINE void store(float* p, Vec v) { _mm512_storeu_ps(p, v); }
GPSIEVE_INLINE Vec packed_element(const float* row, Index j) { return set1(row[j]); }
GPSIEVE_INLINE void store_copies(float* p, Vec v) { store(p, v); }

// The first `count` lanes, 0 <= count <= L; the others read as zero and are not written.
GPSIEVE_INLINE Mask mask_of(Index count) { return static_cast<Mask>((1u << count) - 1u); }
GPSIEVE_INLINE Vec load(const float* p, Mask mask) { return _mm512_maskz_loadu_ps(mask, p); }
GPSIEVE_INLINE void store(float* p, Vec v, Mask mask) { _mm512_mask_storeu_ps(p, mask, v); }

GPSIEVE_INLINE Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
GPSIEVE_INLINE Vec mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
GPSIEVE_INLINE Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }  // c + a b

// The sum of the lanes as a binary tree: upper half onto lower half, down to one.
GPSIEVE_INLINE float sum_of_lanes(Vec v) {
  const __m512d halves = _mm512_castps_pd(v);
  const __m256d low = _mm512_maskz_extractf64x4_pd(0xf, halves, 0);
  const __m256d high = _mm512_maskz_extractf64x4_pd(0xf, halves, 1);
  const __m256 eight = _mm256_add_ps(_mm256_castpd_ps(low), _mm256_castpd_ps(high));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

// clang-format off
#include "simd/vectors/single_transpose.h"
// clang-format on
