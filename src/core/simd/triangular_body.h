// Diagonal blocks of triangular solves and products. Up to MR rows are copied into a strip of V
// vectors (a column of the strip is contiguous), so that every operation runs across independent
// rows; the strip is worked through in groups of kGroup columns, which stay in registers while the
// triangle of the group is applied, all the rest by the register tile. The groups do not depend on
// NR: every instruction set does the same operations.

// z = z u^-1 for one group of a strip; u's diagonal holds reciprocals.
template <Index V>
GPSIEVE_TARGET void solve_group(const double* u, double* z) {
  Vec x[kGroup][V];
  GPSIEVE_UNROLL
  for (Index j = 0; j < kGroup; ++j) {
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) x[j][v] = load(z + (j * V + v) * L);
  }
  GPSIEVE_UNROLL
  for (Index p = 0; p < kGroup; ++p) {
    const Vec reciprocal = set1(u[p * kGroup + p]);
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) {
      x[p][v] = mul(x[p][v], reciprocal);
      store(z + (p * V + v) * L, x[p][v]);
    }
    GPSIEVE_UNROLL
    for (Index j = p + 1; j < kGroup; ++j) {
      const Vec y = set1(u[p * kGroup + j]);
      GPSIEVE_UNROLL
      for (Index v = 0; v < V; ++v) x[j][v] = fnma(x[p][v], y, x[j][v]);
    }
  }
}

// z = z u for one group.
template <Index V>
GPSIEVE_TARGET void multiply_group(const double* u, double* z) {
  Vec x[kGroup][V];
  GPSIEVE_UNROLL
  for (Index j = 0; j < kGroup; ++j) {
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) x[j][v] = load(z + (j * V + v) * L);
  }
  GPSIEVE_UNROLL
  for (Index j = 0; j < kGroup; ++j) {
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) {
      Vec sum = zero();
      GPSIEVE_UNROLL
      for (Index p = 0; p <= j; ++p) sum = fma(x[p][v], set1(u[p * kGroup + j]), sum);
      store(z + (j * V + v) * L, sum);
    }
  }
}

// The columns of the group at g += alpha (columns before it) (u above its triangle).
template <Index V>
GPSIEVE_LEAF void add_earlier_columns(Index g, double alpha, const double* u, double* strip) {
  tile<V, kGroup, Operands::direct>(g, alpha, strip, 1, V * L, u + g * kDiagonal, kGroup, 1, 1.0,
                                    strip + g * V * L, V * L, V * L, kGroup);
}

// The rows of a strip, and zeros up to a whole group.
template <Index V>
GPSIEVE_LEAF void fill_strip(Index count, Index n, const double* z, Index row, Index col,
                             double* strip) {
  pack_panel(V * L, count, n, z, row, col, strip);
  for (Index j = n; j % kGroup != 0; ++j) {
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) store(strip + (j * V + v) * L, zero());
  }
}

template <Index V>
GPSIEVE_TARGET void solve_strip(Index count, Index n, const double* u, double* z, Index row,
                                Index col) {
  double strip[V * L * kDiagonal];
  fill_strip<V>(count, n, z, row, col, strip);
  for (Index g = 0; g < n; g += kGroup) {
    if (g > 0) add_earlier_columns<V>(g, -1.0, u, strip);
    solve_group<V>(u + place_in_diagonal(g, g), strip + g * V * L);
  }
  unpack_panel(V * L, count, n, strip, z, row, col);
}

template <Index V>
GPSIEVE_TARGET void multiply_strip(Index count, Index n, const double* u, double* z, Index row,
                                   Index col) {
  double strip[V * L * kDiagonal];
  fill_strip<V>(count, n, z, row, col, strip);
  for (Index g = (n - 1) / kGroup * kGroup; g >= 0; g -= kGroup) {
    multiply_group<V>(u + place_in_diagonal(g, g), strip + g * V * L);
    if (g > 0) add_earlier_columns<V>(g, 1.0, u, strip);
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
