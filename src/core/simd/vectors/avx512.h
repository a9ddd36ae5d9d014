// The vector type on AVX-512F. No include guard: part of kernels_avx512.cpp only.
#define GPSIEVE_TARGET __attribute__((target("avx512f,avx2,fma")))

constexpr Isa kIsa = Isa::avx512;
constexpr Index L = 8;   // doubles in a vector
constexpr Index MV = 3;  // vectors in a column of the register tile: 24 x 8 uses 24 + 4 of 32
constexpr Index NR = 8;

using Vec = __m512d;
using Mask = __mmask8;

// The unmasked forms of some intrinsics start from an undefined vector, about which GCC 12 warns
// (PR 105593); a mask of ones compiles to the same instruction.
constexpr Mask kAll = 0xff;

GPSIEVE_INLINE Vec zero() { return _mm512_setzero_pd(); }
GPSIEVE_INLINE Vec set1(double x) { return _mm512_set1_pd(x); }
GPSIEVE_INLINE Vec load(const double* p) { return _mm512_loadu_pd(p); }
GPSIEVE_INLINE void store(double* p, Vec v) { _mm512_storeu_pd(p, v); }

// A packed right operand holds each element once: loading it into every lane is one instruction.
constexpr Index kCopies = 1;
GPSIEVE_INLINE Vec packed_element(const double* row, Index j) { return set1(row[j]); }
GPSIEVE_INLINE void store_copies(double* p, Vec v) { store(p, v); }

// The first `count` lanes, 0 <= count <= L; the others read as zero and are not written.
GPSIEVE_INLINE Mask mask_of(Index count) { return static_cast<Mask>((1u << count) - 1u); }
GPSIEVE_INLINE Vec load(const double* p, Mask mask) { return _mm512_maskz_loadu_pd(mask, p); }
GPSIEVE_INLINE void store(double* p, Vec v, Mask mask) { _mm512_mask_storeu_pd(p, mask, v); }
// Loads scattered numbers one by one; the gather instruction is slower.
GPSIEVE_INLINE Vec collect(const double* p, const Index* at) {
  return _mm512_setr_pd(p[at[0]], p[at[1]], p[at[2]], p[at[3]], p[at[4]], p[at[5]], p[at[6]],
                        p[at[7]]);
}

GPSIEVE_INLINE Vec add(Vec a, Vec b) { return _mm512_add_pd(a, b); }
GPSIEVE_INLINE Vec sub(Vec a, Vec b) { return _mm512_sub_pd(a, b); }
GPSIEVE_INLINE Vec mul(Vec a, Vec b) { return _mm512_mul_pd(a, b); }
GPSIEVE_INLINE Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_pd(a, b, c); }    // c + a b
GPSIEVE_INLINE Vec fnma(Vec a, Vec b, Vec c) { return _mm512_fnmadd_pd(a, b, c); }  // c - a b
GPSIEVE_INLINE Vec div(Vec a, Vec b) { return _mm512_div_pd(a, b); }
GPSIEVE_INLINE Vec sqrt(Vec a) { return _mm512_maskz_sqrt_pd(kAll, a); }
GPSIEVE_INLINE Vec magnitude(Vec a) { return _mm512_abs_pd(a); }

// a where z < 0, b elsewhere, also where z is NaN
GPSIEVE_INLINE Vec where_negative(Vec z, Vec a, Vec b) {
  return _mm512_mask_mov_pd(b, _mm512_cmp_pd_mask(z, zero(), _CMP_LT_OQ), a);
}

// The sum of the lanes as a binary tree: upper half onto lower half, down to one.
GPSIEVE_INLINE double sum_of_lanes(Vec v) {
  const __m256d four = _mm256_add_pd(_mm512_maskz_extractf64x4_pd(kAll, v, 0),
                                     _mm512_maskz_extractf64x4_pd(kAll, v, 1));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

// A NaN in x survives: the instruction returns its second operand.
GPSIEVE_INLINE Vec at_least(Vec x, double low) { return _mm512_maskz_max_pd(kAll, set1(low), x); }
GPSIEVE_INLINE Vec at_most(Vec x, double high) { return _mm512_maskz_min_pd(kAll, set1(high), x); }

GPSIEVE_INLINE bool all_within(Vec x, double bound) {  // false for NaN
  return _mm512_cmp_pd_mask(magnitude(x), set1(bound), _CMP_LE_OQ) == kAll;
}

// p 2^k for integral k; `shifted` = k + 1.5 2^52 is for instruction sets without scalef.
GPSIEVE_INLINE Vec scale_normal(Vec p, Vec k, Vec) { return _mm512_maskz_scalef_pd(kAll, p, k); }
GPSIEVE_INLINE Vec scale_any(Vec p, Vec k) { return _mm512_maskz_scalef_pd(kAll, p, k); }

// x = m 2^k with sqrt(1/2) <= m < sqrt(2), for normal x > 0: the bits of x less those of sqrt(1/2)
// begin with k.
GPSIEVE_INLINE Vec split_exponent(Vec x, Vec& k) {
  const __m512i from_root = _mm512_set1_epi64(kOneBits - kRootHalfBits);
  const __m512i bits = _mm512_castpd_si512(x), bias = _mm512_set1_epi64(1023);
  const __m512i biased = _mm512_maskz_srli_epi64(kAll, _mm512_add_epi64(bits, from_root), 52);
  const __m512i digits = _mm512_or_si512(biased, _mm512_set1_epi64(kUnitBits));
  k = sub(_mm512_castsi512_pd(digits), set1(kUnit + 1023.0));
  const __m512i power = _mm512_maskz_slli_epi64(kAll, _mm512_sub_epi64(biased, bias), 52);
  return _mm512_castsi512_pd(_mm512_sub_epi64(bits, power));
}

// dst[i * dst_stride + j] = src[j * src_stride + i], 4 x 4: with two shuffles per row the small
// block is as fast as an 8 x 8 one.
constexpr Index T = 4;
GPSIEVE_INLINE void transpose_block(const double* src, Index src_stride, double* dst,
                                    Index dst_stride) {
  const __m256d a = _mm256_loadu_pd(src), b = _mm256_loadu_pd(src + src_stride),
                c = _mm256_loadu_pd(src + 2 * src_stride),
                d = _mm256_loadu_pd(src + 3 * src_stride);
  const __m256d ab0 = _mm256_unpacklo_pd(a, b), ab1 = _mm256_unpackhi_pd(a, b),
                cd0 = _mm256_unpacklo_pd(c, d), cd1 = _mm256_unpackhi_pd(c, d);
  _mm256_storeu_pd(dst, _mm256_permute2f128_pd(ab0, cd0, 0x20));
  _mm256_storeu_pd(dst + dst_stride, _mm256_permute2f128_pd(ab1, cd1, 0x20));
  _mm256_storeu_pd(dst + 2 * dst_stride, _mm256_permute2f128_pd(ab0, cd0, 0x31));
  _mm256_storeu_pd(dst + 3 * dst_stride, _mm256_permute2f128_pd(ab1, cd1, 0x31));
}
