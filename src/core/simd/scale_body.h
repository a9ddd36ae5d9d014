// p 2^k for integral |k| < 2044, for instruction sets whose scale_normal() wants normal 2^k: in two
// steps, of which the first product is exact and the second rounds once.
GPSIEVE_INLINE Vec scale_any(Vec p, Vec k) {
  const Vec shift = set1(0x1.8p52);
  const Vec half = sub(fma(k, set1(0.5), shift), shift), rest = sub(k, half);
  return scale_normal(scale_normal(p, half, add(half, shift)), rest, add(rest, shift));
}
