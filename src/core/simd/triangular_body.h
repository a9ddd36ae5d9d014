// Diagonal blocks of triangular solves and products. Up to MR rows are copied into a strip of V
// vectors (a column of the strip is contiguous), so that every operation runs across independent
// rows; the strip is worked through in groups of eight columns, all but the triangle of a group by
// the register tile. The groups do not depend on NR: every instruction set does the same
// operations.

constexpr Index kGroup = 8;

// z = z u^-1 for one group of a strip; u's diagonal holds reciprocals.
template <Index V>
GPSIEVE_TARGET void solve_group(Index width, const double* u, double* z) {
  for (Index j = 0; j < width; ++j) {
    Vec x[V];
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) x[v] = load(z + (j * V + v) * L);
    for (Index p = 0; p < j; ++p) {
      const Vec y = set1(u[p * kDiagonal + j]);
      GPSIEVE_UNROLL
      for (Index v = 0; v < V; ++v) x[v] = fnma(load(z + (p * V + v) * L), y, x[v]);
    }
    const Vec reciprocal = set1(u[j * kDiagonal + j]);
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) store(z + (j * V + v) * L, mul(x[v], reciprocal));
  }
}

// z = z u for one group, last column first so that the columns it reads are still the old ones.
template <Index V>
GPSIEVE_TARGET void multiply_group(Index width, const double* u, double* z) {
  for (Index j = width; j-- > 0;) {
    Vec x[V];
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) x[v] = zero();
    for (Index p = 0; p <= j; ++p) {
      const Vec y = set1(u[p * kDiagonal + j]);
      GPSIEVE_UNROLL
      for (Index v = 0; v < V; ++v) x[v] = fma(load(z + (p * V + v) * L), y, x[v]);
    }
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) store(z + (j * V + v) * L, x[v]);
  }
}

// The columns of the group at g += alpha (columns before it) (u above its triangle).
template <Index V>
GPSIEVE_LEAF void add_earlier_columns(Index g, Index width, double alpha, const double* u,
                                      double* strip) {
  for (Index j = g; j < g + width; j += NR)
    tile<V, NR, Operands::direct>(g, alpha, strip, V * L, u + j, kDiagonal, 1, 1.0,
                                  strip + j * V * L, V * L, V * L,
                                  g + width - j < NR ? g + width - j : NR);
}

template <Index V>
GPSIEVE_TARGET void solve_strip(Index count, Index n, const double* u, double* z, Index row,
                                Index col) {
  double strip[V * L * kDiagonal];
  pack_panel(V * L, count, n, z, row, col, strip);
  for (Index g = 0; g < n; g += kGroup) {
    const Index width = n - g < kGroup ? n - g : kGroup;
    if (g > 0) add_earlier_columns<V>(g, width, -1.0, u, strip);
    solve_group<V>(width, u + g * kDiagonal + g, strip + g * V * L);
  }
  unpack_panel(V * L, count, n, strip, z, row, col);
}

template <Index V>
GPSIEVE_TARGET void multiply_strip(Index count, Index n, const double* u, double* z, Index row,
                                   Index col) {
  double strip[V * L * kDiagonal];
  pack_panel(V * L, count, n, z, row, col, strip);
  for (Index g = (n - 1) / kGroup * kGroup; g >= 0; g -= kGroup) {
    const Index width = n - g < kGroup ? n - g : kGroup;
    multiply_group<V>(width, u + g * kDiagonal + g, strip + g * V * L);
    if (g > 0) add_earlier_columns<V>(g, width, 1.0, u, strip);
  }
  unpack_panel(V * L, count, n, strip, z, row, col);
}

GPSIEVE_TARGET void solve_rows(Index rows, Index n, const double* u, double* z, Index row,
                               Index col) {
  for (Index i = 0; i < rows; i += MR) {
    const Index count = rows - i < MR ? rows - i : MR;
    if (MV > 2 && count > 2 * L)
      solve_strip<MV>(count, n, u, z + i * row, row, col);
    else if (count > L)
      solve_strip<2>(count, n, u, z + i * row, row, col);
    else
      solve_strip<1>(count, n, u, z + i * row, row, col);
  }
}

GPSIEVE_TARGET void multiply_rows(Index rows, Index n, const double* u, double* z, Index row,
                                  Index col) {
  for (Index i = 0; i < rows; i += MR) {
    const Index count = rows - i < MR ? rows - i : MR;
    if (MV > 2 && count > 2 * L)
      multiply_strip<MV>(count, n, u, z + i * row, row, col);
    else if (count > L)
      multiply_strip<2>(count, n, u, z + i * row, row, col);
    else
      multiply_strip<1>(count, n, u, z + i * row, row, col);
  }
}
