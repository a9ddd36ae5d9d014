// The register tile and the loops that lay it over a block of c.

constexpr Index MR = MV * L;
constexpr Index kFew = 8;  // columns of c for which copying a to a strip takes longer than it saves
// Largest number of columns of a strided tile that is at most two vectors high, if c has no more
// columns: a second tile would have to collect the vectors of a again.
constexpr Index kWide = NR > 6 ? NR : 6;

// How the tile finds its operands: a and b in packed panels (full width, zero padded), or a in a
// column-major block and b with any strides, ragged if a's last vector must be masked; or both with
// any strides, a's vectors collected from their lanes.
enum class Operands { packed, direct, ragged, strided };

// c (rows x cols) = beta c + alpha a b, rows in ((V - 1) L, V L], cols <= N.
template <Index V, Index N, Operands kOperands>
GPSIEVE_TARGET __attribute__((noinline)) void tile(Index k, double alpha, const double* a,
                                                   Index a_row, Index lda, const double* b,
                                                   Index b_row, Index b_col, double beta, double* c,
                                                   Index ldc, Index rows, Index cols) {
  constexpr bool packed = kOperands == Operands::packed;
  const Mask last = mask_of(rows - (V - 1) * L);
  Vec sum[N][V];
  GPSIEVE_UNROLL
  for (Index j = 0; j < N; ++j) {
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) sum[j][v] = zero();
  }
  Index column[N];  // columns beyond the last repeat it: computed, never stored
  GPSIEVE_UNROLL
  for (Index j = 0; j < N; ++j) column[j] = (j < cols ? j : cols - 1) * b_col;

  Index lane[V * L];  // and so do rows
  if (kOperands == Operands::strided) {
    GPSIEVE_UNROLL
    for (Index i = 0; i < V * L; ++i) lane[i] = (i < rows ? i : rows - 1) * a_row;
  }

  for (Index p = 0; p < k; ++p) {
    Vec x[V];
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v)
      x[v] = kOperands == Operands::strided                ? collect(a, lane + v * L)
             : kOperands == Operands::ragged && v == V - 1 ? load(a + v * L, last)
                                                           : load(a + v * L);
    GPSIEVE_UNROLL
    for (Index j = 0; j < N; ++j) {
      const Vec y = packed ? packed_element(b, j) : set1(b[column[j]]);
      GPSIEVE_UNROLL
      for (Index v = 0; v < V; ++v) sum[j][v] = fma(x[v], y, sum[j][v]);
    }
    a += packed ? MR : lda;
    b += packed ? NR * kCopies : b_row;
  }

  const Vec scale = set1(alpha), keep = set1(beta);
  const bool full = rows == V * L, overwrite = beta == 0.0;
  GPSIEVE_UNROLL
  for (Index j = 0; j < N; ++j) {
    if (j < cols) {
      GPSIEVE_UNROLL
      for (Index v = 0; v < V; ++v) {
        double* out = c + j * ldc + v * L;
        if (full || v < V - 1) {
          const Vec old = overwrite ? zero() : mul(keep, load(out));
          store(out, fma(scale, sum[j][v], old));
        } else {
          const Vec old = overwrite ? zero() : mul(keep, load(out, last));
          store(out, fma(scale, sum[j][v], old), last);
        }
      }
    }
  }
}

template <Index V, Operands kOperands>
GPSIEVE_LEAF void tile_of_vectors(Index k, double alpha, const double* a, Index a_row, Index lda,
                                  const double* b, Index b_row, Index b_col, double beta, double* c,
                                  Index ldc, Index rows, Index cols) {
  constexpr bool wide = kOperands == Operands::strided && V <= 2 && NR < kWide;
  if (wide && cols > 5)
    tile<V, 6, kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, c, ldc, rows, cols);
  else if (wide && cols > 4)
    tile<V, 5, kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, c, ldc, rows, cols);
  else if (kOperands == Operands::packed || (NR > 4 && cols > 4))
    tile<V, NR, kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, c, ldc, rows, cols);
  else if (cols > 2)
    tile<V, 4, kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, c, ldc, rows, cols);
  else if (cols > 1)
    tile<V, 2, kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, c, ldc, rows, cols);
  else
    tile<V, 1, kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, c, ldc, rows, cols);
}

// A tile of any size up to MR x NR, or 2 L x kWide if strided, in the narrowest shape that holds
// it.
template <Operands kOperands>
GPSIEVE_LEAF void any_tile(Index k, double alpha, const double* a, Index a_row, Index lda,
                           const double* b, Index b_row, Index b_col, double beta, double* c,
                           Index ldc, Index rows, Index cols) {
  if (MV > 2 && rows > 2 * L)
    tile_of_vectors<MV, kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, c, ldc, rows,
                                   cols);
  else if (rows > L)
    tile_of_vectors<2, kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, c, ldc, rows,
                                  cols);
  else
    tile_of_vectors<1, kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, c, ldc, rows,
                                  cols);
}

// A tile on the diagonal goes through a scratch tile, so that what lies above stays untouched.
template <Operands kOperands>
GPSIEVE_TARGET void crossing_tile(Index k, double alpha, const double* a, Index a_row, Index lda,
                                  const double* b, Index b_row, Index b_col, double beta, double* c,
                                  Index ldc, Index rows, Index cols, Index below) {
  double scratch[MR * kWide];
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) scratch[i + j * MR] = i + below >= j ? c[i + j * ldc] : 0.0;
  any_tile<kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, scratch, MR, rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = j > below ? j - below : 0; i < rows; ++i) c[i + j * ldc] = scratch[i + j * MR];
}

template <Operands kOperands>
GPSIEVE_LEAF void place_tile(Index k, double alpha, const double* a, Index a_row, Index lda,
                             const double* b, Index b_row, Index b_col, double beta, double* c,
                             Index ldc, Index rows, Index cols, Index below) {
  if (below >= cols - 1)
    any_tile<kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, c, ldc, rows, cols);
  else if (below + rows > 0)
    crossing_tile<kOperands>(k, alpha, a, a_row, lda, b, b_row, b_col, beta, c, ldc, rows, cols,
                             below);
}

GPSIEVE_TARGET void gemm_packed(Index m, Index n, Index k, double alpha, const double* a,
                                const double* b, double beta, double* c, Index ldc, Index below) {
  for (Index j = 0; j < n; j += NR)
    for (Index i = 0; i < m; i += MR)
      place_tile<Operands::packed>(k, alpha, a + i * k, 1, MR, b + j * k * kCopies, 0, 0, beta,
                                   c + i + j * ldc, ldc, m - i < MR ? m - i : MR,
                                   n - j < NR ? n - j : NR, below + i - j);
}

template <Operands kOperands>
GPSIEVE_LEAF void row_of_tiles(Index rows, Index n, Index k, double alpha, const double* a,
                               Index a_row, Index lda, const double* b, Index b_row, Index b_col,
                               double beta, double* c, Index ldc, Index below) {
  const bool wide = kOperands == Operands::strided && n <= kWide && rows <= 2 * L;
  const Index width = wide ? kWide : NR;
  for (Index j = 0; j < n; j += width)
    place_tile<kOperands>(k, alpha, a, a_row, lda, b + j * b_col, b_row, b_col, beta, c + j * ldc,
                          ldc, rows, n - j < width ? n - j : width, below - j);
}

// The same where a's columns are not contiguous: they are copied to a strip first.
GPSIEVE_TARGET void row_of_tiles_by_strip(Index rows, Index n, Index k, double alpha,
                                          const double* a, Index a_row, Index a_col,
                                          const double* b, Index b_row, Index b_col, double beta,
                                          double* c, Index ldc, Index below) {
  double strip[MR * kDiagonal];
  const Index width = (rows + L - 1) / L * L;
  pack_panel(width, rows, k, a, a_row, a_col, strip);
  row_of_tiles<Operands::direct>(rows, n, k, alpha, strip, 1, width, b, b_row, b_col, beta, c, ldc,
                                 below);
}

GPSIEVE_TARGET void gemm_direct(Index m, Index n, Index k, double alpha, const double* a,
                                Index a_row, Index a_col, const double* b, Index b_row, Index b_col,
                                double beta, double* c, Index ldc, Index below) {
  for (Index i = 0; i < m; i += MR) {
    const Index rows = m - i < MR ? m - i : MR;
    const double* panel = a + i * a_row;
    if (a_row != 1 && n > kFew)
      row_of_tiles_by_strip(rows, n, k, alpha, panel, a_row, a_col, b, b_row, b_col, beta, c + i,
                            ldc, below + i);
    else if (a_row != 1)
      row_of_tiles<Operands::strided>(rows, n, k, alpha, panel, a_row, a_col, b, b_row, b_col, beta,
                                      c + i, ldc, below + i);
    else if (rows % L == 0)
      row_of_tiles<Operands::direct>(rows, n, k, alpha, panel, 1, a_col, b, b_row, b_col, beta,
                                     c + i, ldc, below + i);
    else
      row_of_tiles<Operands::ragged>(rows, n, k, alpha, panel, 1, a_col, b, b_row, b_col, beta,
                                     c + i, ldc, below + i);
  }
}
