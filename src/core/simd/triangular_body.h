// Diagonal blocks of triangular solves and products. Up to MR rows are copied into a strip of V
// vectors (a column of the strip is contiguous), so that every operation applies to independent
// rows; the strip is taken in groups of kGroup columns, which stay in registers while the
// sum over earlier columns and the triangle of the group are applied. The groups do not depend on
// NR: every instruction set does the same operations.

// sum = (columns of the strip before g) (u above the triangle of the group at g)
template <Index V>
GPSIEVE_INLINE void sum_earlier_columns(Index g, const double* u, const double* strip,
                                        Vec (&sum)[kGroup][V]) {
  GPSIEVE_UNROLL
  for (Index j = 0; j < kGroup; ++j) {
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) sum[j][v] = zero();
  }
  for (Index p = 0; p < g; ++p, strip += V * L, u += kGroup) {
    Vec x[V];
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) x[v] = load(strip + v * L);
    GPSIEVE_UNROLL
    for (Index j = 0; j < kGroup; ++j) {
      const Vec y = set1(u[j]);
      GPSIEVE_UNROLL
      for (Index v = 0; v < V; ++v) sum[j][v] = fma(x[v], y, sum[j][v]);
    }
  }
}

// z = (z - sum of earlier columns) u^-1 for the group at g; u's diagonal holds reciprocals.
template <Index V>
GPSIEVE_TARGET void solve_group(Index g, const double* u, double* strip) {
  double* z = strip + g * V * L;
  Vec x[kGroup][V];
  sum_earlier_columns<V>(g, u + g * kDiagonal, strip, x);
  GPSIEVE_UNROLL
  for (Index j = 0; j < kGroup; ++j) {
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) x[j][v] = sub(load(z + (j * V + v) * L), x[j][v]);
  }
  const double* triangle = u + place_in_diagonal(g, g);
  GPSIEVE_UNROLL
  for (Index p = 0; p < kGroup; ++p) {
    const Vec reciprocal = set1(triangle[p * kGroup + p]);
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) {
      x[p][v] = mul(x[p][v], reciprocal);
      store(z + (p * V + v) * L, x[p][v]);
    }
    GPSIEVE_UNROLL
    for (Index j = p + 1; j < kGroup; ++j) {
      const Vec y = set1(triangle[p * kGroup + j]);
      GPSIEVE_UNROLL
      for (Index v = 0; v < V; ++v) x[j][v] = fnma(x[p][v], y, x[j][v]);
    }
  }
}

// z = z u + sum of earlier columns for the group at g.
template <Index V>
GPSIEVE_TARGET void multiply_group(Index g, const double* u, double* strip) {
  double* z = strip + g * V * L;
  Vec earlier[kGroup][V];
  sum_earlier_columns<V>(g, u + g * kDiagonal, strip, earlier);
  const double* triangle = u + place_in_diagonal(g, g);
  // From the last column to the first: the columns before it are still as they were.
  GPSIEVE_UNROLL
  for (Index j = kGroup - 1; j >= 0; --j) {
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) {
      Vec sum = zero();
      GPSIEVE_UNROLL
      for (Index p = 0; p <= j; ++p)
        sum = fma(load(z + (p * V + v) * L), set1(triangle[p * kGroup + j]), sum);
      store(z + (j * V + v) * L, add(sum, earlier[j][v]));
    }
  }
}

// The rows of a strip, and zeros up to a whole group.
template <Index V>
GPSIEVE_INLINE void fill_strip(Index count, Index n, const double* z, Index row, Index col,
                               double* strip) {
  pack_panel(V * L, count, n, z, row, col, strip);
  for (Index j = n; j % kGroup != 0; ++j) {
    GPSIEVE_UNROLL
    for (Index v = 0; v < V; ++v) store(strip + (j * V + v) * L, zero());
  }
}

struct SolveGroups {
  template <Index V>
  GPSIEVE_TARGET static void apply(Index n, const double* u, double* strip) {
    for (Index g = 0; g < n; g += kGroup) solve_group<V>(g, u, strip);
  }
};

struct MultiplyGroups {
  template <Index V>
  GPSIEVE_TARGET static void apply(Index n, const double* u, double* strip) {
    for (Index g = (n - 1) / kGroup * kGroup; g >= 0; g -= kGroup) multiply_group<V>(g, u, strip);
  }
};

template <class Groups, Index V>
GPSIEVE_TARGET void apply_to_strip(Index count, Index n, const double* u, double* z, Index row,
                                   Index col) {
  double strip[V * L * kDiagonal];
  fill_strip<V>(count, n, z, row, col, strip);
  Groups::template apply<V>(n, u, strip);
  unpack_panel(V * L, count, n, strip, z, row, col);
}

template <class Groups>
GPSIEVE_TARGET void apply_to_rows(Index rows, Index n, const double* u, double* z, Index row,
                                  Index col) {
  for (Index i = 0; i < rows; i += MR) {
    const Index count = rows - i < MR ? rows - i : MR;
    if (MV > 2 && count > 2 * L)
      apply_to_strip<Groups, MV>(count, n, u, z + i * row, row, col);
    else if (count > L)
      apply_to_strip<Groups, 2>(count, n, u, z + i * row, row, col);
    else
      apply_to_strip<Groups, 1>(count, n, u, z + i * row, row, col);
  }
}

GPSIEVE_TARGET void solve_rows(Index rows, Index n, const double* u, double* z, Index row,
                               Index col) {
  apply_to_rows<SolveGroups>(rows, n, u, z, row, col);
}

GPSIEVE_TARGET void multiply_rows(Index rows, Index n, const double* u, double* z, Index row,
                                  Index col) {
  apply_to_rows<MultiplyGroups>(rows, n, u, z, row, col);
}
