// Loops that read a matrix once. Their time is that of reading memory, not that of the arithmetic.

// Neighbouring columns are read one after another, which is the order of the memory.
GPSIEVE_TARGET void dots(Index n, Index columns, const double* x, const double* a, Index lda,
                         double* out) {
  for (Index j = 0; j < columns; ++j) out[j] = total(add_products(n, x, a + j * lda, no_sum()));
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

// y = keep y + scale sum, or y = scale sum if `overwrite`; `rest` is the mask of a vector that is
// not whole, or nothing.
template <class... Rest>
GPSIEVE_INLINE void take_sum(double* y, const double* sum, Vec scale, Vec keep, bool overwrite,
                             Rest... rest) {
  const Vec old = overwrite ? zero() : mul(keep, load(y, rest...));
  store(y, fma(scale, load(sum, rest...), old), rest...);
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
      Index i = 0;
      for (; i + L <= rows; i += L) take_sum(y + i0 + i, sum + i, scale, keep, overwrite);
      if (i < rows) take_sum(y + i0 + i, sum + i, scale, keep, overwrite, mask_of(rows - i));
    } while (p < n);
  }
}
