// Loops that read a matrix once: bound by memory, so they count bytes, not operations.

// out[c] = x' column[c]. Element p goes to chain p mod kChains whatever the vector's length.
template <Index C>
GPSIEVE_TARGET void dot_group(Index n, const double* x, const double* const* column, double* out) {
  constexpr Index D = kChains / L;
  Vec sum[C][D];
  GPSIEVE_UNROLL
  for (Index c = 0; c < C; ++c) {
    GPSIEVE_UNROLL
    for (Index d = 0; d < D; ++d) sum[c][d] = zero();
  }
  Index p = 0;
  for (; p + kChains <= n; p += kChains) {
    GPSIEVE_UNROLL
    for (Index d = 0; d < D; ++d) {
      const Vec y = load(x + p + d * L);
      GPSIEVE_UNROLL
      for (Index c = 0; c < C; ++c) sum[c][d] = fma(load(column[c] + p + d * L), y, sum[c][d]);
    }
  }
  if (p < n) {
    GPSIEVE_UNROLL
    for (Index d = 0; d < D; ++d) {
      const Index left = n - p - d * L;
      const Mask mask = mask_of(left < 0 ? 0 : left < L ? left : L);
      const Vec y = load(x + p + d * L, mask);
      GPSIEVE_UNROLL
      for (Index c = 0; c < C; ++c)
        sum[c][d] = fma(load(column[c] + p + d * L, mask), y, sum[c][d]);
    }
  }
  GPSIEVE_UNROLL
  for (Index c = 0; c < C; ++c) {
    double chain[kChains];
    GPSIEVE_UNROLL
    for (Index d = 0; d < D; ++d) store(chain + d * L, sum[c][d]);
    for (Index half = kChains / 2; half > 0; half /= 2)
      for (Index i = 0; i < half; ++i) chain[i] += chain[i + half];
    out[c] = chain[0];
  }
}

GPSIEVE_TARGET void dots(Index n, Index columns, const double* x, const double* a, Index lda,
                         const Index* idx, double* out) {
  Index j = 0;
  for (; j + kDotColumns <= columns; j += kDotColumns) {
    const double* column[kDotColumns];
    for (Index c = 0; c < kDotColumns; ++c) column[c] = a + (idx ? idx[j + c] : j + c) * lda;
    dot_group<kDotColumns>(n, x, column, out + j);
  }
  for (; j < columns; ++j) {
    const double* column = a + (idx ? idx[j] : j) * lda;
    dot_group<1>(n, x, &column, out + j);
  }
}

GPSIEVE_TARGET void squared_norms(Index n, Index columns, const double* a, Index lda, double* out) {
  for (Index j = 0; j < columns; ++j) {
    const double* column = a + j * lda;
    dot_group<1>(n, column, &column, out + j);
  }
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

GPSIEVE_TARGET void append_update(Index n, const double* mu, double c, double* a, double* h) {
  const Vec step = set1(c);
  for (Index i = 0; i < n; i += L) {
    const Mask mask = mask_of(n - i < L ? n - i : L);
    const Vec m = load(mu + i, mask);
    store(a + i, fnma(m, m, load(a + i, mask)), mask);
    store(h + i, fma(step, m, load(h + i, mask)), mask);
  }
}
