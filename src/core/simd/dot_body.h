// Sums of products along columns.

// x' y is summed in kChains chains: element p goes to chain p mod kChains whatever the vector's
// length, so a sum depends on its own column only.
constexpr Index D = kChains / L;
struct Chains {
  Vec part[D];
};

GPSIEVE_INLINE Chains no_sum() {
  Chains sum;
  GPSIEVE_UNROLL
  for (Index d = 0; d < D; ++d) sum.part[d] = zero();
  return sum;
}

// sum + x' y for n elements; only the last piece of a column may be no multiple of kChains.
GPSIEVE_INLINE Chains add_products(Index n, const double* x, const double* y, Chains sum) {
  Index p = 0;
  for (; p + kChains <= n; p += kChains) {
    GPSIEVE_UNROLL
    for (Index d = 0; d < D; ++d)
      sum.part[d] = fma(load(x + p + d * L), load(y + p + d * L), sum.part[d]);
  }
  if (p < n) {
    GPSIEVE_UNROLL
    for (Index d = 0; d < D; ++d) {
      const Index left = n - p - d * L;
      const Mask mask = mask_of(left < 0 ? 0 : left < L ? left : L);
      sum.part[d] = fma(load(x + p + d * L, mask), load(y + p + d * L, mask), sum.part[d]);
    }
  }
  return sum;
}

GPSIEVE_INLINE double total(Chains sum) {
  GPSIEVE_UNROLL
  for (Index half = D / 2; half > 0; half /= 2) {
    GPSIEVE_UNROLL
    for (Index d = 0; d < half; ++d) sum.part[d] = add(sum.part[d], sum.part[d + half]);
  }
  return sum_of_lanes(sum.part[0]);
}

// Scattered columns are read eight at a time, a piece of each in turn, so that the waiting times
// for memory overlap.
GPSIEVE_TARGET void gathered_dots(Index n, Index columns, const double* x, const double* a,
                                  Index lda, const Index* idx, double* out) {
  constexpr Index kLong = 256, kTogether = 8, kPiece = 64;
  Index j = 0;
  for (; n >= kLong && j + kTogether <= columns; j += kTogether) {
    Chains sum[kTogether];
    for (Index c = 0; c < kTogether; ++c) sum[c] = no_sum();
    for (Index p = 0; p < n; p += kPiece)
      for (Index c = 0; c < kTogether; ++c)
        sum[c] =
            add_products(n - p < kPiece ? n - p : kPiece, x + p, a + p + idx[j + c] * lda, sum[c]);
    for (Index c = 0; c < kTogether; ++c) out[j + c] = total(sum[c]);
  }
  for (; j < columns; ++j) out[j] = total(add_products(n, x, a + idx[j] * lda, no_sum()));
}
