// Packing: operands are copied once into the order in which the register tile reads them.

GPSIEVE_INLINE Index at_most_a_vector(Index count) { return count < L ? count : L; }

// One panel of `count` <= width items; consecutive dst rows are `width` apart.
GPSIEVE_INLINE void pack_panel(Index width, Index count, Index k, const double* src, Index item,
                               Index depth, double* dst) {
  if (item == 1) {
    const Index whole = count - count % L;
    const Mask rest = mask_of(count - whole);
    for (Index p = 0; p < k; ++p, src += depth, dst += width) {
      Index q = 0;
      for (; q < whole; q += L) {
        GPSIEVE_PLAIN_COPY;
        store(dst + q, load(src + q));
      }
      for (; q < width; q += L) {
        GPSIEVE_PLAIN_COPY;
        store(dst + q, q < count ? load(src + q, rest) : zero(),
              mask_of(at_most_a_vector(width - q)));
      }
    }
    return;
  }
  for (Index edge = count - count % L; count < width && edge < width; edge += L) {
    const Mask inside = mask_of(at_most_a_vector(width - edge));
    for (Index p = 0; p < k; ++p) store(dst + p * width + edge, zero(), inside);
  }
  Index q = 0;
  if (depth == 1)
    for (; q + T <= count; q += T) {
      Index p = 0;
      for (; p + T <= k; p += T)
        transpose_block(src + q * item + p, item, dst + p * width + q, width);
      for (; p < k; ++p)
        for (Index r = q; r < q + T; ++r) dst[p * width + r] = src[r * item + p];
    }
  for (; q < count; ++q)
    for (Index p = 0; p < k; ++p) dst[p * width + q] = src[q * item + p * depth];
}

GPSIEVE_TARGET void pack(Index width, Index n, Index k, const double* src, Index item, Index depth,
                         double* dst) {
  for (Index q = 0; q < n; q += width)
    pack_panel(width, n - q < width ? n - q : width, k, src + q * item, item, depth, dst + q * k);
}

GPSIEVE_TARGET void pack_right(Index n, Index k, const double* src, Index item, Index depth,
                               double* dst) {
  if (kCopies == 1) {
    pack(NR, n, k, src, item, depth, dst);
    return;
  }
  for (Index q = 0; q < n; q += NR) {
    double* panel = dst + q * k * kCopies;
    double* once = panel + (kCopies - 1) * NR *
                               k;  // spread from the front, so that no unread number is overwritten
    pack_panel(NR, n - q < NR ? n - q : NR, k, src + q * item, item, depth, once);
    for (Index i = 0; i < NR * k; i += L) store_copies(panel + i * kCopies, load(once + i));
  }
}

// Unpacks one panel: dst[q * item + p * depth] = src[p * width + q].
GPSIEVE_INLINE void unpack_panel(Index width, Index count, Index k, const double* src, double* dst,
                                 Index item, Index depth) {
  if (item == 1) {
    const Index whole = count - count % L;
    const Mask rest = mask_of(count - whole);
    for (Index p = 0; p < k; ++p, src += width, dst += depth) {
      Index q = 0;
      for (; q < whole; q += L) {
        GPSIEVE_PLAIN_COPY;
        store(dst + q, load(src + q));
      }
      if (q < count) store(dst + q, load(src + q), rest);
    }
    return;
  }
  Index q = 0;
  if (depth == 1)
    for (; q + T <= count; q += T) {
      Index p = 0;
      for (; p + T <= k; p += T)
        transpose_block(src + p * width + q, width, dst + q * item + p, item);
      for (; p < k; ++p)
        for (Index r = q; r < q + T; ++r) dst[r * item + p] = src[p * width + r];
    }
  for (; q < count; ++q)
    for (Index p = 0; p < k; ++p) dst[q * item + p * depth] = src[p * width + q];
}
