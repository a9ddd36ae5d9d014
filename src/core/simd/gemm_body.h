// The register tile and the loops that lay it over a block of c.

constexpr Index MR = MV * L;
// Largest number of columns of a strided tile that is at most two vectors high, if c has no more
// columns: a second tile would have to collect the vectors of a again.
constexpr Index kWide = NR > 6 ? NR : 6;

// How the tile finds its operands: a and b in packed panels (full width, zero padded), or a in a
// column-major block and b with any strides, ragged if a's last vector must be masked; or both with
// any strides, a's vectors collected from their lanes.
enum class Operands { packed, direct, ragged, strided };

// Vector v of a column of a; `last` masks the last one where a is ragged.
template <Operands kOperands>
GPSIEVE_INLINE Vec left_vector(const double* a, Index v, const Index* lane, bool is_last,
                               Mask last) {
  if constexpr (kOperands == Operands::strided)
    return collect(a, lane + v * L);
  else if (kOperands == Operands::ragged && is_last)
    return load(a + v * L, last);
  else
    return load(a + v * L);
}

// The tile of p (rows x cols) that starts at these elements of its operands, with rows in
// ((V - 1) L, V L] and cols <= N.
template <Index V, Index N, Operands kOperands>
GPSIEVE_TARGET __attribute__((noinline)) void tile(const Product& p, const double* a,
                                                   const double* b, double* c, Index rows,
                                                   Index cols) {
  constexpr bool packed = kOperands == Operands::packed;
  const Index depth = p.k, a_col = p.a.col, b_row = p.b.row;
  const Mask last = mask_of(rows - (V - 1) * L);
  Vec sum[N][V];
  GPSIEVE_UNROLL
  for (Index j = 0; j < N; ++j) {
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) sum[j][v] = zero();
  }
  Index column[N];  // columns beyond the last repeat it: computed, never stored
  GPSIEVE_UNROLL
  for (Index j = 0; j < N; ++j) column[j] = (j < cols ? j : cols - 1) * p.b.col;

  Index lane[V * L];  // and so do rows
  if (kOperands == Operands::strided) {
    GPSIEVE_UNROLL
    for (Index i = 0; i < V * L; ++i) lane[i] = (i < rows ? i : rows - 1) * p.a.row;
  }

  for (Index q = 0; q < depth; ++q) {
    Vec x[V];
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) x[v] = left_vector<kOperands>(a, v, lane, v == V - 1, last);
    GPSIEVE_UNROLL
    for (Index j = 0; j < N; ++j) {
      const Vec y = packed ? packed_element(b, j) : set1(b[column[j]]);
      GPSIEVE_UNROLL
      for (Index v = 0; v < V; ++v) sum[j][v] = fma(x[v], y, sum[j][v]);
    }
    a += packed ? MR : a_col;
    b += packed ? NR * kCopies : b_row;
  }

  const Index c_col = p.c.col;
  const Vec scale = set1(p.alpha), keep = set1(p.beta);
  const bool full = rows == V * L, overwrite = p.beta == 0.0;
  GPSIEVE_UNROLL
  for (Index j = 0; j < N; ++j) {
    if (j < cols) {
      GPSIEVE_UNROLL
      for (Index v = 0; v < V; ++v) {
        double* out = c + j * c_col + v * L;
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
GPSIEVE_INLINE void tile_of_vectors(const Product& p, const double* a, const double* b, double* c,
                                    Index rows, Index cols) {
  constexpr bool wide = kOperands == Operands::strided && V <= 2 && NR < kWide;
  if (wide && cols > 5)
    tile<V, 6, kOperands>(p, a, b, c, rows, cols);
  else if (wide && cols > 4)
    tile<V, 5, kOperands>(p, a, b, c, rows, cols);
  else if (kOperands == Operands::packed || (NR > 4 && cols > 4))
    tile<V, NR, kOperands>(p, a, b, c, rows, cols);
  else if (cols > 2)
    tile<V, 4, kOperands>(p, a, b, c, rows, cols);
  else if (cols > 1)
    tile<V, 2, kOperands>(p, a, b, c, rows, cols);
  else
    tile<V, 1, kOperands>(p, a, b, c, rows, cols);
}

// A tile of any size up to MR x NR, or 2 L x kWide if strided, in the narrowest shape that holds
// it.
template <Operands kOperands>
GPSIEVE_INLINE void any_tile(const Product& p, const double* a, const double* b, double* c,
                             Index rows, Index cols) {
  if (MV > 2 && rows > 2 * L)
    tile_of_vectors<MV, kOperands>(p, a, b, c, rows, cols);
  else if (rows > L)
    tile_of_vectors<2, kOperands>(p, a, b, c, rows, cols);
  else
    tile_of_vectors<1, kOperands>(p, a, b, c, rows, cols);
}

// A tile on the diagonal goes through a scratch tile, so that what lies above stays untouched.
template <Operands kOperands>
GPSIEVE_TARGET void crossing_tile(const Product& p, const double* a, const double* b, double* c,
                                  Index rows, Index cols, Index below) {
  double scratch[MR * kWide];
  const Index c_col = p.c.col;
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) scratch[i + j * MR] = i + below >= j ? c[i + j * c_col] : 0.0;
  Product on_scratch = p;
  on_scratch.c.col = MR;
  any_tile<kOperands>(on_scratch, a, b, scratch, rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = j > below ? j - below : 0; i < rows; ++i) c[i + j * c_col] = scratch[i + j * MR];
}

template <Operands kOperands>
GPSIEVE_INLINE void place_tile(const Product& p, const double* a, const double* b, double* c,
                               Index rows, Index cols, Index below) {
  if (below >= cols - 1)
    any_tile<kOperands>(p, a, b, c, rows, cols);
  else if (below + rows > 0)
    crossing_tile<kOperands>(p, a, b, c, rows, cols, below);
}

GPSIEVE_TARGET void gemm_packed(const Product& p, Index below) {
  const Index m = p.m, n = p.n, k = p.k, c_col = p.c.col;
  for (Index j = 0; j < n; j += NR)
    for (Index i = 0; i < m; i += MR)
      place_tile<Operands::packed>(p, p.a.data + i * k, p.b.data + j * k * kCopies,
                                   p.c.data + i + j * c_col, m - i < MR ? m - i : MR,
                                   n - j < NR ? n - j : NR, below + i - j);
}
