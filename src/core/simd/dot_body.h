// Loops that read a matrix once. Their time is that of reading memory, not that of the arithmetic.

// x' y is summed in kChains chains: element p goes to chain p mod kChains whatever the vector's
// length, so a sum depends on its own column only.
constexpr Index D = kChains / L;
struct Chains {
  Vec part[D];
};

GPSIEVE_LEAF Chains no_sum() {
  Chains sum;
  GPSIEVE_UNROLL
  for (Index d = 0; d < D; ++d) sum.part[d] = zero();
  return sum;
}

// sum + x' y for n elements; only the last piece of a column may be no multiple of kChains.
GPSIEVE_LEAF Chains add_products(Index n, const double* x, const double* y, Chains sum) {
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

GPSIEVE_LEAF double total(Chains sum) {
  GPSIEVE_UNROLL
  for (Index half = D / 2; half > 0; half /= 2) {
    GPSIEVE_UNROLL
    for (Index d = 0; d < half; ++d) sum.part[d] = add(sum.part[d], sum.part[d + half]);
  }
  return sum_of_lanes(sum.part[0]);
}

// Neighbouring columns are read one after another, which is the order of the memory.
GPSIEVE_TARGET void dots(Index n, Index columns, const double* x, const double* a, Index lda,
                         double* out) {
  for (Index j = 0; j < columns; ++j) out[j] = total(add_products(n, x, a + j * lda, no_sum()));
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

GPSIEVE_TARGET void squared_norms(Index n, Index columns, const double* a, Index lda, double* out) {
  for (Index j = 0; j < columns; ++j)
    out[j] = total(add_products(n, a + j * lda, a + j * lda, no_sum()));
}

// sum (m) += C columns of a times x, in the order of the columns.
template <Index C>
GPSIEVE_TARGET void add_columns(Index m, const double* a, Index lda, const double* x, double* sum) {
  Vec y[C];
  GPSIEVE_UNROLL
  for (Index c = 0; c < C; ++c) y[c] = set1(x[c]);
  Index i = 0;
  for (; i + L <= m; i += L) {
    Vec s = load(sum + i);
    GPSIEVE_UNROLL
    for (Index c = 0; c < C; ++c) s = fma(load(a + i + c * lda), y[c], s);
    store(sum + i, s);
  }
  if (i < m) {
    const Mask mask = mask_of(m - i);
    Vec s = load(sum + i, mask);
    GPSIEVE_UNROLL
    for (Index c = 0; c < C; ++c) s = fma(load(a + i + c * lda, mask), y[c], s);
    store(sum + i, s, mask);
  }
}

// Rows in chunks whose sums stay in the first-level cache, columns eight at a time.
GPSIEVE_TARGET void gemv(Index m, Index n, double alpha, const double* a, Index lda,
                         const double* x, double beta, double* y) {
  constexpr Index kChunk = 1024;
  double sum[kChunk];
  const Vec scale = set1(alpha);
  for (Index i0 = 0; i0 < m; i0 += kChunk) {
    const Index rows = m - i0 < kChunk ? m - i0 : kChunk;
    Index p = 0;
    do {
      const Index end = n - p < kDepth ? n : p + kDepth;
      for (Index i = 0; i < rows; ++i) sum[i] = 0.0;
      for (; p + 8 <= end; p += 8) add_columns<8>(rows, a + i0 + p * lda, lda, x + p, sum);
      for (; p < end; ++p) add_columns<1>(rows, a + i0 + p * lda, lda, x + p, sum);
      const Vec keep = set1(p <= kDepth ? beta : 1.0);
      const bool overwrite = p <= kDepth && beta == 0.0;
      for (Index i = 0; i < rows; i += L) {
        const Mask mask = mask_of(rows - i < L ? rows - i : L);
        const Vec old = overwrite ? zero() : mul(keep, load(y + i0 + i, mask));
        store(y + i0 + i, fma(scale, load(sum + i, mask), old), mask);
      }
    } while (p < n);
  }
}
