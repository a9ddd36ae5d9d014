// exp and the covariance profiles built on it.
//
// x = k ln 2 + r with |r| <= ln 2 / 2, exp(x) = 2^k exp(r). exp(r) = 1 + r + r^2 q(r), q of degree
// 9 through Chebyshev nodes (relative error of exp(r) 1.6e-17), evaluated by Horner's rule. ln 2 is
// split so that k times its first part is exact.

// Beyond these exp is 0 or Inf; clamping keeps k within reach of scale_any.
constexpr double kUnderflow = -750.0, kOverflow = 710.0;
// Within this bound exp(x) and 2^k are normal numbers.
constexpr double kEasy = 700.0;

GPSIEVE_INLINE Vec exp_reduced(Vec r) {
  Vec p = set1(0x1.af389ecfc4bb6p-26);
  p = fma(p, r, set1(0x1.28917c89a43bcp-22));
  p = fma(p, r, set1(0x1.71de0db2f6b19p-19));
  p = fma(p, r, set1(0x1.a019b9149a41cp-16));
  p = fma(p, r, set1(0x1.a01a01a7c2efep-13));
  p = fma(p, r, set1(0x1.6c16c17889ef1p-10));
  p = fma(p, r, set1(0x1.11111111109b5p-7));
  p = fma(p, r, set1(0x1.5555555553d68p-5));
  p = fma(p, r, set1(0x1.5555555555556p-3));
  p = fma(p, r, set1(0x1.0000000000001p-1));
  p = fma(p, r, set1(1.0));
  return fma(p, r, set1(1.0));
}

// The two functions agree for all arguments within that bound, so that the result does not depend
// on which of them is used.
template <bool kAllEasy>
GPSIEVE_INLINE Vec exp_of(Vec x) {
  if (!kAllEasy) x = at_most(at_least(x, kUnderflow), kOverflow);
  const Vec magic = set1(0x1.8p52);  // adding it rounds to an integer, kept in the low bits
  const Vec shifted = fma(x, set1(0x1.71547652b82fep0), magic), k = sub(shifted, magic);
  const Vec r = fnma(k, set1(0x1.a39ef35793c76p-33), fnma(k, set1(0x1.62e42feep-1), x));
  const Vec p = exp_reduced(r);
  return kAllEasy ? scale_normal(p, k, shifted) : scale_any(p, k);
}

GPSIEVE_INLINE Vec exp_of(Vec x) {
  return __builtin_expect(all_within(x, kEasy), 1) ? exp_of<true>(x) : exp_of<false>(x);
}

// The argument of a profile is a squared distance; rounding may have made it negative.
struct Rbf {
  static GPSIEVE_INLINE Vec at(Vec r2, Vec variance) {
    return mul(variance, exp_of(mul(set1(-0.5), at_least(r2, 0.0))));
  }
};

// The polynomial factor of a Matern profile must stay finite where the exponential is zero.
constexpr double kFar = 800.0;

// Each Matern profile as the polynomial factor of variance exp(-s), and dk/dr2 from
// variance exp(-s).
struct Matern12 {
  static GPSIEVE_INLINE Vec distance(Vec r2) { return at_most(sqrt(at_least(r2, 0.0)), kFar); }
  static GPSIEVE_INLINE Vec scaled(Vec, Vec variance) { return variance; }
  // The kink at r = 0 has no derivative; 0 is its symmetric choice.
  static GPSIEVE_INLINE Vec slope(Vec s, Vec decay) {
    return where_negative(sub(zero(), s), div(mul(set1(-0.5), decay), s), zero());
  }
};

struct Matern32 {
  static GPSIEVE_INLINE Vec distance(Vec r2) {
    return at_most(sqrt(mul(set1(3.0), at_least(r2, 0.0))), kFar);
  }
  static GPSIEVE_INLINE Vec scaled(Vec s, Vec variance) { return mul(variance, add(set1(1.0), s)); }
  static GPSIEVE_INLINE Vec slope(Vec, Vec decay) { return mul(set1(-1.5), decay); }
};

struct Matern52 {
  static GPSIEVE_INLINE Vec distance(Vec r2) {
    return at_most(sqrt(mul(set1(5.0), at_least(r2, 0.0))), kFar);
  }
  static GPSIEVE_INLINE Vec scaled(Vec s, Vec variance) {
    return mul(variance, fma(s, fma(s, set1(1.0 / 3.0), set1(1.0)), set1(1.0)));
  }
  static GPSIEVE_INLINE Vec slope(Vec s, Vec decay) {
    return mul(mul(set1(-5.0 / 6.0), add(set1(1.0), s)), decay);
  }
};

template <class Matern>
struct MaternValue {
  static GPSIEVE_INLINE Vec at(Vec r2, Vec variance) {
    const Vec s = Matern::distance(r2);
    return mul(Matern::scaled(s, variance), exp_of(sub(zero(), s)));
  }
};

// y[i] = Function(x[i]); the tail runs the same code on a vector padded with zeros.
template <class Function>
GPSIEVE_TARGET void map(const double* x, double* y, Index n, double scale) {
  const Vec factor = set1(scale);
  Index i = 0;
  for (; i + L <= n; i += L) store(y + i, Function::at(load(x + i), factor));
  if (i < n) {
    const Mask mask = mask_of(n - i);
    store(y + i, Function::at(load(x + i, mask), factor), mask);
  }
}

// The values of a Matern profile, with the bits of map(), and its slopes by r2.
template <class Matern>
GPSIEVE_INLINE void value_and_slope(Vec r2, Vec variance, Vec& value, Vec& slope) {
  const Vec s = Matern::distance(r2), decay = exp_of(sub(zero(), s));
  value = mul(Matern::scaled(s, variance), decay);
  slope = Matern::slope(s, mul(variance, decay));
}

template <class Matern>
GPSIEVE_TARGET void values_and_slopes(const double* r2, double* k, double* slope, Index n,
                                      double variance) {
  const Vec factor = set1(variance);
  Vec value, by_r2;
  Index i = 0;
  for (; i + L <= n; i += L) {
    value_and_slope<Matern>(load(r2 + i), factor, value, by_r2);
    store(k + i, value);
    store(slope + i, by_r2);
  }
  if (i < n) {
    const Mask mask = mask_of(n - i);
    value_and_slope<Matern>(load(r2 + i, mask), factor, value, by_r2);
    store(k + i, value, mask);
    store(slope + i, by_r2, mask);
  }
}

// r2 += norms + other. Returns `found`, with 1 in every lane whose sum is at most `share` of the
// norms in it, or no number; `rest` is the mask of a vector that is not whole, or nothing.
template <class... Rest>
GPSIEVE_INLINE Vec add_norms_of(double* r2, const double* norms, Vec other, Vec share, Vec found,
                                Rest... rest) {
  const Vec both = add(load(norms, rest...), other), sum = add(load(r2, rest...), both);
  store(r2, sum, rest...);
  return where_negative(fma(share, both, sub(zero(), sum)), found, set1(1.0));
}

// r2 += norms + norm, squared norms of the points of a block of pairs and of one other point.
// Returns whether any of the sums is at most `share` of the norms in it, or no number.
GPSIEVE_TARGET bool add_norms(double* r2, const double* norms, double norm, Index n, double share) {
  const Vec other = set1(norm), part = set1(share);
  Vec found = zero();
  Index i = 0;
  for (; i + L <= n; i += L) found = add_norms_of(r2 + i, norms + i, other, part, found);
  if (i < n) found = add_norms_of(r2 + i, norms + i, other, part, found, mask_of(n - i));
  return sum_of_lanes(found) > 0.0;
}
