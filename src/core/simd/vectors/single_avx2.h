// The vector type on AVX2 with FMA in single precision. No include guard: part of kernels_avx2.cpp
// only.

// clang-format off
#include "simd/vectors/single_chains.h"
// clang-format on

constexpr Index L = 8;   // floats in a vector
constexpr Index MV = 3;  // vectors in a column of the register tile: 24 x 4 uses 12 + 4 of 16
constexpr Index NR = 4;

using Vec = __m256;
using Mask = __m256i;

GPSIEVE_INLINE Vec zero() { return _mm256_setzero_ps(); }
GPSIEVE_INLINE Vec set1(float x) { return _mm256_set1_ps(x); }
GPSIEVE_INLINE Vec load(const float* p) { return _mm256_loadu_ps(p); }
GPSIEVE_INLINE void store(float* p, Vec v) { _mm256_storeu_ps(p, v); }
GPSIEVE_INLINE Vec packed_element(const float* row, Index j) { return set1(row[j]); }
GPSIEVE_INLINE void store_copies(float* p, Vec v) { store(p, v); }

// The first `count` lanes, 0 <= count <= L; the others read as zero and are not written.
GPSIEVE_INLINE Mask mask_of(Index count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
GPSIEVE_INLINE Vec load(const float* p, Mask mask) { return _mm256_maskload_ps(p, mask); }
GPSIEVE_INLINE void store(float* p, Vec v, Mask mask) { _mm256_maskstore_ps(p, mask, v); }

GPSIEVE_INLINE Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
GPSIEVE_INLINE Vec mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
GPSIEVE_INLINE Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }  // c + a b

// The sum of the lanes as a binary tree: upper half onto lower half, down to one.
GPSIEVE_INLINE float sum_of_lanes(Vec v) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

// clang-format off
#include "simd/vectors/single_transpose.h"
// clang-format on
