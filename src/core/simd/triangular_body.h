// Diagonal blocks of triangular solves and products. Rows are taken MR at a time into a strip (a
// column of the strip is contiguous), so that every operation runs across independent rows; the
// strip is worked through in groups of eight columns, all but the triangle of a group by the
// register tile. The groups do not depend on NR: every instruction set does the same operations.

constexpr Index kGroup = 8;

// z (rows x width, a full strip) = z u^-1 for one group; u's diagonal holds reciprocals.
template <Index V>
GPSIEVE_TARGET void solve_group(Index width, const double* u, double* z) {
  for (Index j = 0; j < width; ++j) {
    Vec x[V];
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) x[v] = load(z + j * MR + v * L);
    for (Index p = 0; p < j; ++p) {
      const Vec y = set1(u[p * kDiagonal + j]);
      GPSIEVE_UNROLL
      for (Index v = 0; v < V; ++v) x[v] = fnma(load(z + p * MR + v * L), y, x[v]);
    }
    const Vec reciprocal = set1(u[j * kDiagonal + j]);
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) store(z + j * MR + v * L, mul(x[v], reciprocal));
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
      for (Index v = 0; v < V; ++v) x[v] = fma(load(z + p * MR + v * L), y, x[v]);
    }
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) store(z + j * MR + v * L, x[v]);
  }
}

// The columns of a group += alpha (columns before it) (u above its triangle).
GPSIEVE_TARGET void earlier_columns(Index rows, Index group, Index width, double alpha,
                                    const double* u, double* strip) {
  gemm_direct(rows, width, group, alpha, strip, MR, u + group, kDiagonal, 1, 1.0,
              strip + group * MR, MR, width);
}

template <Index V>
GPSIEVE_TARGET void solve_strip(Index n, const double* u, double* strip) {
  for (Index g = 0; g < n; g += kGroup) {
    const Index width = n - g < kGroup ? n - g : kGroup;
    if (g > 0) earlier_columns(V * L, g, width, -1.0, u, strip);
    solve_group<V>(width, u + g * kDiagonal + g, strip + g * MR);
  }
}

template <Index V>
GPSIEVE_TARGET void multiply_strip(Index n, const double* u, double* strip) {
  for (Index g = (n - 1) / kGroup * kGroup; g >= 0; g -= kGroup) {
    const Index width = n - g < kGroup ? n - g : kGroup;
    multiply_group<V>(width, u + g * kDiagonal + g, strip + g * MR);
    if (g > 0) earlier_columns(V * L, g, width, 1.0, u, strip);
  }
}

GPSIEVE_TARGET void solve_rows(Index rows, Index n, const double* u, double* z, Index row,
                               Index col) {
  double strip[MR * kDiagonal];
  for (Index i = 0; i < rows; i += MR) {
    const Index count = rows - i < MR ? rows - i : MR;
    pack_panel(MR, count, n, z + i * row, row, col, strip);
    if (MV > 2 && count > 2 * L)
      solve_strip<MV>(n, u, strip);
    else if (count > L)
      solve_strip<2>(n, u, strip);
    else
      solve_strip<1>(n, u, strip);
    unpack_panel(MR, count, n, strip, z + i * row, row, col);
  }
}

GPSIEVE_TARGET void multiply_rows(Index rows, Index n, const double* u, double* z, Index row,
                                  Index col) {
  double strip[MR * kDiagonal];
  for (Index i = 0; i < rows; i += MR) {
    const Index count = rows - i < MR ? rows - i : MR;
    pack_panel(MR, count, n, z + i * row, row, col, strip);
    if (MV > 2 && count > 2 * L)
      multiply_strip<MV>(n, u, strip);
    else if (count > L)
      multiply_strip<2>(n, u, strip);
    else
      multiply_strip<1>(n, u, strip);
    unpack_panel(MR, count, n, strip, z + i * row, row, col);
  }
}
