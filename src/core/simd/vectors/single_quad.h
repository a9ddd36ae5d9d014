// What four-lane vectors of single precision have in common, in the notation GCC and clang share.
// No include guard: part of the vectors/single_*.h of instruction sets with 16-byte vectors.

// clang-format off
#include "simd/vectors/single_chains.h"
// clang-format on

constexpr Index L = 4;  // floats in a vector

typedef float Vec __attribute__((vector_size(16)));
typedef float LooseVec __attribute__((vector_size(16), aligned(4), may_alias));
using Mask = Index;

GPSIEVE_INLINE Vec zero() { return Vec{0.0f, 0.0f, 0.0f, 0.0f}; }
GPSIEVE_INLINE Vec set1(float x) { return Vec{x, x, x, x}; }
GPSIEVE_INLINE Vec load(const float* p) { return *reinterpret_cast<const LooseVec*>(p); }
GPSIEVE_INLINE void store(float* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }
GPSIEVE_INLINE Vec packed_element(const float* row, Index j) { return set1(row[j]); }
GPSIEVE_INLINE void store_copies(float* p, Vec v) { store(p, v); }

// The first `count` lanes, 0 <= count <= L; the others read as zero and are not written.
GPSIEVE_INLINE Mask mask_of(Index count) { return count; }
GPSIEVE_INLINE Vec load(const float* p, Mask count) {
  if (count == 4) return load(p);
  return Vec{count > 0 ? p[0] : 0.0f, count > 1 ? p[1] : 0.0f, count > 2 ? p[2] : 0.0f, 0.0f};
}
GPSIEVE_INLINE void store(float* p, Vec v, Mask count) {
  if (count == 4) return store(p, v);
  if (count > 0) p[0] = v[0];
  if (count > 1) p[1] = v[1];
  if (count > 2) p[2] = v[2];
}

GPSIEVE_INLINE Vec add(Vec a, Vec b) { return a + b; }
GPSIEVE_INLINE Vec mul(Vec a, Vec b) { return a * b; }

// The sum of the lanes as a binary tree: upper half onto lower half, down to one.
GPSIEVE_INLINE float sum_of_lanes(Vec v) { return (v[0] + v[2]) + (v[1] + v[3]); }

// dst[i * dst_stride + j] = src[j * src_stride + i], 4 x 4.
constexpr Index T = 4;
GPSIEVE_INLINE void transpose_block(const float* src, Index src_stride, float* dst,
                                    Index dst_stride) {
  const Vec a = load(src), b = load(src + src_stride), c = load(src + 2 * src_stride),
            d = load(src + 3 * src_stride);
  GPSIEVE_UNROLL
  for (Index i = 0; i < T; ++i) store(dst + i * dst_stride, Vec{a[i], b[i], c[i], d[i]});
}
