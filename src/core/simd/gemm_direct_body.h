// Products whose operands are read where they lie.

constexpr Index kFew = 8;  // columns of c for which copying a to a strip takes longer than it saves

// At most MR rows of p, which start at these elements of a and c.
template <Operands kOperands>
GPSIEVE_INLINE void row_of_tiles(const Product& p, const double* a, double* c, Index rows,
                                 Index below) {
  const Index n = p.n, b_col = p.b.col, c_col = p.c.col;
  const bool wide = kOperands == Operands::strided && n <= kWide && rows <= 2 * L;
  const Index width = wide ? kWide : NR;
  for (Index j = 0; j < n; j += width)
    place_tile<kOperands>(p, a, p.b.data + j * b_col, c + j * c_col, rows,
                          n - j < width ? n - j : width, below - j);
}

// A row of tiles where a's columns are not contiguous: they are copied to a strip first.
GPSIEVE_TARGET void row_of_tiles_by_strip(const Product& p, const double* a, double* c, Index rows,
                                          Index below) {
  double strip[MR * kDiagonal];
  const Index width = (rows + L - 1) / L * L;
  pack_panel(width, rows, p.k, a, p.a.row, p.a.col, strip);
  Product packed = p;
  packed.a.col = width;
  row_of_tiles<Operands::direct>(packed, strip, c, rows, below);
}

GPSIEVE_TARGET void gemm_direct(const Product& p, Index below) {
  const Index m = p.m, a_row = p.a.row;
  for (Index i = 0; i < m; i += MR) {
    const Index rows = m - i < MR ? m - i : MR;
    const double* panel = p.a.data + i * a_row;
    double* c = p.c.data + i;
    if (a_row != 1 && p.n > kFew)
      row_of_tiles_by_strip(p, panel, c, rows, below + i);
    else if (a_row != 1)
      row_of_tiles<Operands::strided>(p, panel, c, rows, below + i);
    else if (rows % L == 0)
      row_of_tiles<Operands::direct>(p, panel, c, rows, below + i);
    else
      row_of_tiles<Operands::ragged>(p, panel, c, rows, below + i);
  }
}
