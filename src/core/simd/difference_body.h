// Sums over the pairs of two sets of points, of which products of matrices have done most.
//
// `rest` is the mask of the last vector where that vector is not whole, and nothing elsewhere,
// because a masked store is slower than a plain one on some processors.

template <class... Rest>
GPSIEVE_INLINE void add_square(const double* x, Vec weight, double* squares, Rest... rest) {
  const Vec at = load(x, rest...);
  store(squares, fma(mul(weight, at), at, load(squares, rest...)), rest...);
}

// squares += weight x o x
GPSIEVE_TARGET void add_squares(const double* x, double weight, Index n, double* squares) {
  const Vec factor = set1(weight);
  Index i = 0;
  for (; i + L <= n; i += L) add_square(x + i, factor, squares + i);
  if (i < n) add_square(x + i, factor, squares + i, mask_of(n - i));
}

template <class... Rest>
GPSIEVE_INLINE void add_difference(const double* z, const double* product, Vec weight,
                                   const double* per_unit, double* squares, double* slopes,
                                   Rest... rest) {
  const Vec at = load(z, rest...), sum = load(product, rest...);
  const Vec t = sub(mul(weight, at), sum);
  store(squares, fma(at, sub(t, sum), load(squares, rest...)), rest...);
  store(slopes, fma(load(per_unit, rest...), t, load(slopes, rest...)), rest...);
}

// With t = weight z - product: squares += z o (t - product) and slopes += per_unit o t.
GPSIEVE_TARGET void add_differences(const double* z, const double* product, double weight,
                                    const double* per_unit, Index n, double* squares,
                                    double* slopes) {
  const Vec factor = set1(weight);
  Index i = 0;
  for (; i + L <= n; i += L)
    add_difference(z + i, product + i, factor, per_unit + i, squares + i, slopes + i);
  if (i < n)
    add_difference(z + i, product + i, factor, per_unit + i, squares + i, slopes + i,
                   mask_of(n - i));
}
