// What two-lane vectors have in common, in the notation GCC and clang share. No include guard: part
// of the files of instruction sets with 16-byte vectors.

constexpr Index L = 2;  // doubles in a vector

typedef double Vec __attribute__((vector_size(16)));
typedef double LooseVec __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long Bits __attribute__((vector_size(16)));
typedef unsigned long long Words __attribute__((vector_size(16)));
using Mask = Index;

GPSIEVE_INLINE Vec zero() { return Vec{0.0, 0.0}; }
GPSIEVE_INLINE Vec set1(double x) { return Vec{x, x}; }
GPSIEVE_INLINE Vec load(const double* p) { return *reinterpret_cast<const LooseVec*>(p); }
GPSIEVE_INLINE void store(double* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }

// The first `count` lanes, 0 <= count <= L; the others read as zero and are not written.
GPSIEVE_INLINE Mask mask_of(Index count) { return count; }
GPSIEVE_INLINE Vec load(const double* p, Mask count) {
  return count == 2 ? load(p) : Vec{count == 1 ? p[0] : 0.0, 0.0};
}
GPSIEVE_INLINE void store(double* p, Vec v, Mask count) {
  if (count == 2) store(p, v);
  if (count == 1) p[0] = v[0];
}
GPSIEVE_INLINE Vec collect(const double* p, const Index* at) { return Vec{p[at[0]], p[at[1]]}; }

GPSIEVE_INLINE Vec add(Vec a, Vec b) { return a + b; }
GPSIEVE_INLINE Vec sub(Vec a, Vec b) { return a - b; }
GPSIEVE_INLINE Vec mul(Vec a, Vec b) { return a * b; }
GPSIEVE_INLINE Vec div(Vec a, Vec b) { return a / b; }
GPSIEVE_INLINE Vec sqrt(Vec a) { return Vec{__builtin_sqrt(a[0]), __builtin_sqrt(a[1])}; }
GPSIEVE_INLINE Vec magnitude(Vec a) { return Vec{__builtin_fabs(a[0]), __builtin_fabs(a[1])}; }

// a where z < 0, b elsewhere, also where z is NaN
GPSIEVE_INLINE Vec where_negative(Vec z, Vec a, Vec b) { return z < zero() ? a : b; }

GPSIEVE_INLINE double sum_of_lanes(Vec v) { return v[0] + v[1]; }

// A NaN in x survives: comparisons with it are false.
GPSIEVE_INLINE Vec at_least(Vec x, double low) { return x < set1(low) ? set1(low) : x; }
GPSIEVE_INLINE Vec at_most(Vec x, double high) { return x > set1(high) ? set1(high) : x; }

GPSIEVE_INLINE bool all_within(Vec x, double bound) {  // false for NaN
  const Bits inside = (x <= set1(bound)) & (x >= set1(-bound));
  return (inside[0] & inside[1]) != 0;
}

// p 2^k for integral k: the low bits of `shifted` = k + 1.5 2^52 are k. 2^k must be normal.
GPSIEVE_INLINE Vec scale_normal(Vec p, Vec, Vec shifted) {
  const Words exponent = reinterpret_cast<Words>(shifted) + Words{1023, 1023};
  return p * reinterpret_cast<Vec>(exponent << 52);
}

// x = m 2^k with sqrt(1/2) <= m < sqrt(2), for normal x > 0: the bits of x less those of sqrt(1/2)
// begin with k.
GPSIEVE_INLINE Vec split_exponent(Vec x, Vec& k) {
  const Words bits = reinterpret_cast<Words>(x);
  const Words biased = (bits + (kOneBits - kRootHalfBits)) >> 52;
  k = reinterpret_cast<Vec>(biased | kUnitBits) - set1(kUnit + 1023.0);
  return reinterpret_cast<Vec>(bits - ((biased - 1023) << 52));
}

// dst[i * dst_stride + j] = src[j * src_stride + i], 2 x 2.
constexpr Index T = 2;
GPSIEVE_INLINE void transpose_block(const double* src, Index src_stride, double* dst,
                                    Index dst_stride) {
  const Vec a = load(src), b = load(src + src_stride);
  store(dst, Vec{a[0], b[0]});
  store(dst + dst_stride, Vec{a[1], b[1]});
}
