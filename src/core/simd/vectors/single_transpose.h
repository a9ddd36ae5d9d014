// dst[i * dst_stride + j] = src[j * src_stride + i], 4 x 4, on AVX processors. No include guard:
// part of the vectors/single_*.h of these.
constexpr Index T = 4;
GPSIEVE_INLINE void transpose_block(const float* src, Index src_stride, float* dst,
                                    Index dst_stride) {
  const __m128 a = _mm_loadu_ps(src), b = _mm_loadu_ps(src + src_stride),
               c = _mm_loadu_ps(src + 2 * src_stride), d = _mm_loadu_ps(src + 3 * src_stride);
  const __m128 ab0 = _mm_unpacklo_ps(a, b), ab1 = _mm_unpackhi_ps(a, b),
               cd0 = _mm_unpacklo_ps(c, d), cd1 = _mm_unpackhi_ps(c, d);
  _mm_storeu_ps(dst, _mm_movelh_ps(ab0, cd0));
  _mm_storeu_ps(dst + dst_stride, _mm_movehl_ps(cd0, ab0));
  _mm_storeu_ps(dst + 2 * dst_stride, _mm_movelh_ps(ab1, cd1));
  _mm_storeu_ps(dst + 3 * dst_stride, _mm_movehl_ps(cd1, ab1));
}
