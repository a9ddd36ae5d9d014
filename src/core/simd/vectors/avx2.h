// The vector type on AVX2 with FMA. No include guard: part of kernels_avx2.cpp only.
#define GPSIEVE_TARGET __attribute__((target("avx2,fma")))

constexpr Isa kIsa = Isa::avx2;
constexpr Index L = 4;   // doubles in a vector
constexpr Index MV = 3;  // vectors in a column of the register tile: 12 x 4 uses 12 + 4 of 16
constexpr Index NR = 4;

using Vec = __m256d;
using Mask = __m256i;

GPSIEVE_INLINE Vec zero() { return _mm256_setzero_pd(); }
GPSIEVE_INLINE Vec set1(double x) { return _mm256_set1_pd(x); }
GPSIEVE_INLINE Vec load(const double* p) { return _mm256_loadu_pd(p); }
GPSIEVE_INLINE void store(double* p, Vec v) { _mm256_storeu_pd(p, v); }

// A packed right operand holds each element once: loading it into every lane is one instruction.
constexpr Index kCopies = 1;
GPSIEVE_INLINE Vec packed_element(const double* row, Index j) { return set1(row[j]); }
GPSIEVE_INLINE void store_copies(double* p, Vec v) { store(p, v); }

// The first `count` lanes, 0 <= count <= L; the others read as zero and are not written.
GPSIEVE_INLINE Mask mask_of(Index count) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
}
GPSIEVE_INLINE Vec load(const double* p, Mask mask) { return _mm256_maskload_pd(p, mask); }
GPSIEVE_INLINE void store(double* p, Vec v, Mask mask) { _mm256_maskstore_pd(p, mask, v); }
// Loads scattered numbers one by one; the gather instruction is slower.
GPSIEVE_INLINE Vec collect(const double* p, const Index* at) {
  return _mm256_setr_pd(p[at[0]], p[at[1]], p[at[2]], p[at[3]]);
}

GPSIEVE_INLINE Vec add(Vec a, Vec b) { return _mm256_add_pd(a, b); }
GPSIEVE_INLINE Vec sub(Vec a, Vec b) { return _mm256_sub_pd(a, b); }
GPSIEVE_INLINE Vec mul(Vec a, Vec b) { return _mm256_mul_pd(a, b); }
GPSIEVE_INLINE Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_pd(a, b, c); }    // c + a b
GPSIEVE_INLINE Vec fnma(Vec a, Vec b, Vec c) { return _mm256_fnmadd_pd(a, b, c); }  // c - a b
GPSIEVE_INLINE Vec div(Vec a, Vec b) { return _mm256_div_pd(a, b); }
GPSIEVE_INLINE Vec sqrt(Vec a) { return _mm256_sqrt_pd(a); }
GPSIEVE_INLINE Vec magnitude(Vec a) { return _mm256_andnot_pd(set1(-0.0), a); }

// a where z < 0, b elsewhere, also where z is NaN
GPSIEVE_INLINE Vec where_negative(Vec z, Vec a, Vec b) {
  return _mm256_blendv_pd(b, a, _mm256_cmp_pd(z, zero(), _CMP_LT_OQ));
}

// The sum of the lanes as a binary tree: upper half onto lower half, down to one.
GPSIEVE_INLINE double sum_of_lanes(Vec v) {
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

// A NaN in x survives: the instruction returns its second operand.
GPSIEVE_INLINE Vec at_least(Vec x, double low) { return _mm256_max_pd(set1(low), x); }
GPSIEVE_INLINE Vec at_most(Vec x, double high) { return _mm256_min_pd(set1(high), x); }

GPSIEVE_INLINE bool all_within(Vec x, double bound) {  // false for NaN
  return _mm256_movemask_pd(_mm256_cmp_pd(magnitude(x), set1(bound), _CMP_LE_OQ)) == 0xf;
}

// p 2^k for integral k: the low bits of `shifted` = k + 1.5 2^52 are k. 2^k must be normal.
GPSIEVE_INLINE Vec scale_normal(Vec p, Vec, Vec shifted) {
  const __m256i exponent = _mm256_add_epi64(_mm256_castpd_si256(shifted), _mm256_set1_epi64x(1023));
  return mul(p, _mm256_castsi256_pd(_mm256_slli_epi64(exponent, 52)));
}
// clang-format off
#include "simd/scale_body.h"
// clang-format on

// x = m 2^k with sqrt(1/2) <= m < sqrt(2), for normal x > 0: the bits of x less those of sqrt(1/2)
// begin with k.
GPSIEVE_INLINE Vec split_exponent(Vec x, Vec& k) {
  const __m256i from_root = _mm256_set1_epi64x(kOneBits - kRootHalfBits);
  const __m256i bits = _mm256_castpd_si256(x), bias = _mm256_set1_epi64x(1023);
  const __m256i biased = _mm256_srli_epi64(_mm256_add_epi64(bits, from_root), 52);
  const __m256i digits = _mm256_or_si256(biased, _mm256_set1_epi64x(kUnitBits));
  k = sub(_mm256_castsi256_pd(digits), set1(kUnit + 1023.0));
  const __m256i power = _mm256_slli_epi64(_mm256_sub_epi64(biased, bias), 52);
  return _mm256_castsi256_pd(_mm256_sub_epi64(bits, power));
}

// dst[i * dst_stride + j] = src[j * src_stride + i], 4 x 4.
constexpr Index T = 4;
GPSIEVE_INLINE void transpose_block(const double* src, Index src_stride, double* dst,
                                    Index dst_stride) {
  const Vec a = load(src), b = load(src + src_stride), c = load(src + 2 * src_stride),
            d = load(src + 3 * src_stride);
  const Vec ab0 = _mm256_unpacklo_pd(a, b), ab1 = _mm256_unpackhi_pd(a, b),
            cd0 = _mm256_unpacklo_pd(c, d), cd1 = _mm256_unpackhi_pd(c, d);
  store(dst, _mm256_permute2f128_pd(ab0, cd0, 0x20));
  store(dst + dst_stride, _mm256_permute2f128_pd(ab1, cd1, 0x20));
  store(dst + 2 * dst_stride, _mm256_permute2f128_pd(ab0, cd0, 0x31));
  store(dst + 3 * dst_stride, _mm256_permute2f128_pd(ab1, cd1, 0x31));
}
