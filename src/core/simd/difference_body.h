// Sums over the pairs of two sets of points, of which products of matrices have done most.

// squares += weight x o x
GPSIEVE_TARGET void add_squares(const double* x, double weight, Index n, double* squares) {
  const Vec factor = set1(weight);
  for (Index i = 0; i < n; i += L) {
    const Mask mask = mask_of(n - i < L ? n - i : L);
    const Vec at = load(x + i, mask);
    store(squares + i, fma(mul(factor, at), at, load(squares + i, mask)), mask);
  }
}

// With t = weight z - product: squares += z o (t - product) and slopes += per_unit o t.
GPSIEVE_TARGET void add_differences(const double* z, const double* product, double weight,
                                    const double* per_unit, Index n, double* squares,
                                    double* slopes) {
  const Vec factor = set1(weight);
  for (Index i = 0; i < n; i += L) {
    const Mask mask = mask_of(n - i < L ? n - i : L);
    const Vec at = load(z + i, mask), sum = load(product + i, mask);
    const Vec t = sub(mul(factor, at), sum);
    store(squares + i, fma(at, sub(t, sum), load(squares + i, mask)), mask);
    store(slopes + i, fma(load(per_unit + i, mask), t, load(slopes + i, mask)), mask);
  }
}
