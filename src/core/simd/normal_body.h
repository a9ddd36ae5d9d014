// What a probit site needs (math/normal.h), from two polynomials, an exponential and a logarithm.
//
// With x = |z|, phi the density, Phi the distribution function of the standard normal distribution,
// Q = 1 - Phi, u = 1 / (x + c) and t = 1 - 2 c u in [-1, 1]:
//   delta(x) = phi(x) / Q(x) - x = u A(t),  omega(x) = 1 - (x + delta) delta = u^2 B(t).
// A and B are smooth on [-1, 1], between 1 and 4.5, and 1 at x = Inf, so that no digits are lost to
// cancellation in the tail. Their coefficients are those of Chebyshev interpolation, with relative
// errors of 7e-17 and 1.5e-16. Left of 0 the site is read from delta and omega; right of 0 from
// Q(x) = phi(x) / (x + delta). Products that a sum follows are written as fused ones, because a
// compiler might fuse them for some lanes only.

constexpr double kMillsScale = 3.5;  // c: the degrees below are smallest there
constexpr double kMillsDelta[] = {
    0x1.c27e3edb727fbp+0,   -0x1.07aca9e6aa4b0p+0,  0x1.af81837b864e0p-3,  0x1.3ace3d5a9db16p-3,
    -0x1.9cd58a0091d60p-4,  -0x1.6b6613b93b747p-6,  0x1.23886e53735d6p-5,  0x1.0a0f8714aeea5p-9,
    -0x1.84b712e6dc1cdp-7,  0x1.1d63b0d153161p-12,  0x1.faf619f316780p-9,  -0x1.ac9decade4139p-13,
    -0x1.42de02beae262p-10, 0x1.d202ad7f1f62bp-15,  0x1.8a91e36eee4f8p-12, -0x1.24cb33fc3028cp-18,
    -0x1.c1f557c18d7b0p-14, -0x1.dbc2d983dcc55p-19, 0x1.ce3efa42da3c6p-16, 0x1.027d3365d0866p-19,
    -0x1.99838c88dc5b7p-18, -0x1.df0bd8fc5b9c1p-22, 0x1.26647918123a6p-20, 0x1.78cd766901e8ap-27,
    -0x1.33ce7cfea6ca2p-23, 0x1.66f4c9378c2a3p-26,  0x1.607b48cb896e7p-27, -0x1.1122be2cac562p-28};
constexpr double kMillsOmega[] = {
    0x1.651574610e655p+1,   -0x1.3d9cda561b166p+1,  0x1.5e19d262badedp-3,  0x1.049c812d74ea3p+0,
    -0x1.927b0656fa2d5p-2,  -0x1.62ec9a24f9c1ap-2,  0x1.e1150e546ef0dp-3,  0x1.c73af4ea96658p-4,
    -0x1.bf56777c1c25ap-4,  -0x1.268e0af9ad12fp-5,  0x1.6ef40caf6f389p-5,  0x1.93efcfcd72e2bp-7,
    -0x1.122a3b8166624p-6,  -0x1.264a4f2cfe1cfp-8,  0x1.763ea55e0a7b1p-8,  0x1.afc420e3f14abp-10,
    -0x1.cec64dfb611d0p-10, -0x1.25c5189e49da0p-11, 0x1.01168d1b7f111p-11, 0x1.51845e95239cdp-13,
    -0x1.0277719da9141p-13, -0x1.1afe223d9e0c3p-15, 0x1.e52c336283b6cp-16, 0x1.9735949bff6d3p-19,
    -0x1.abf44c655c739p-18, 0x1.dc671e3ac0b27p-21,  0x1.351e67273904ep-20, -0x1.982574ca340cdp-22,
    -0x1.ef936898cb84bp-24, 0x1.9e5436e66c4acp-25};

// Coefficients of v in (2 atanh(s) / s - 2) / v with v = s^2 <= 0.0295: relative error of the
// logarithm 6e-19.
constexpr double kLogSeries[] = {0x1.5555555555555p-1, 0x1.9999999999a3bp-2, 0x1.2492492476542p-2,
                                 0x1.c71c720229597p-3, 0x1.745cf8af7424cp-3, 0x1.3b1c471bd1059p-3,
                                 0x1.0fbcc1cd78ce8p-3, 0x1.0c16778d41545p-3};

// The sum of a[i] t^i, as one of even and one of odd powers, which do not wait for each other.
template <Index kCount>
GPSIEVE_INLINE Vec polynomial(const double (&a)[kCount], Vec t) {
  static_assert(kCount % 2 == 0 && kCount >= 4);
  const Vec square = mul(t, t);
  Vec even = set1(a[kCount - 2]), odd = set1(a[kCount - 1]);
  GPSIEVE_UNROLL
  for (Index i = kCount - 4; i >= 0; i -= 2) {
    even = fma(even, square, set1(a[i]));
    odd = fma(odd, square, set1(a[i + 1]));
  }
  return fma(odd, t, even);
}

// log x for normal x > 0, with x = m 2^k, f = m - 1 and s = f / (2 + f): log m = 2 atanh(s). ln 2
// is split so that k times its first part is exact.
GPSIEVE_INLINE Vec log_of(Vec x) {
  Vec k;
  const Vec f = sub(split_exponent(x, k), set1(1.0));
  const Vec s = div(f, add(set1(2.0), f)), v = mul(s, s), half = mul(set1(0.5), f);
  const Vec rest = fma(half, f, mul(v, polynomial(kLogSeries, v)));
  const Vec low = fma(s, rest, mul(k, set1(0x1.a39ef35793c76p-33)));
  return fma(k, set1(0x1.62e42feep-1), sub(f, fma(half, f, sub(zero(), low))));
}

// phi(x) for x >= 0. The square of x rounded to a multiple of 2^-20 is exact; exp of the rest,
// which is below 2e-5, is four terms of its series. From 39 on the density is 0.
GPSIEVE_INLINE Vec density_of(Vec x) {
  const Vec near = at_most(x, 39.5), shift = set1(0x1.8p32);
  const Vec high = sub(add(near, shift), shift);
  const Vec rest = mul(mul(set1(-0.5), sub(near, high)), add(near, high));
  const Vec series =
      fma(rest, fma(rest, fma(rest, set1(1.0 / 6.0), set1(0.5)), set1(1.0)), set1(1.0));
  const Vec scale = mul(set1(0.398942280401432677939946059934), series);
  return mul(scale, exp_of(mul(mul(set1(-0.5), high), high)));
}

// At x >= 0: t, u and A(t) as above, phi(x), phi(x) / Q(x) and Q(x).
struct UpperTail {
  Vec t, u, a, phi, ratio, tail;
};

GPSIEVE_INLINE UpperTail upper_tail(Vec x) {
  UpperTail at;
  at.u = div(set1(1.0), add(x, set1(kMillsScale)));
  at.t = fnma(at.u, set1(2.0 * kMillsScale), set1(1.0));
  at.a = polynomial(kMillsDelta, at.t);
  at.phi = density_of(x);
  at.ratio = fma(at.a, at.u, x);
  at.tail = div(at.phi, at.ratio);
  return at;
}

struct NormalCdf {
  static GPSIEVE_INLINE Vec at(Vec z, Vec scale) {
    const Vec tail = upper_tail(magnitude(z)).tail;
    return mul(scale, where_negative(z, tail, sub(set1(1.0), tail)));
  }
};

struct SiteVectors {
  Vec log_cdf, r, delta, q, omega;
};

GPSIEVE_INLINE SiteVectors site_of(Vec z) {
  const Vec x = magnitude(z);
  const UpperTail at = upper_tail(x);
  const Vec bu = mul(polynomial(kMillsOmega, at.t), at.u);

  // Right of 0: log Phi = log1p(-tail), whose argument loses the digits of tail that `lost` has.
  const Vec cdf = sub(set1(1.0), at.tail), lost = sub(sub(set1(1.0), cdf), at.tail);
  const Vec r = div(at.phi, cdf), delta = add(r, z);

  SiteVectors site;
  site.r = where_negative(z, at.ratio, r);
  site.delta = where_negative(z, mul(at.a, at.u), delta);
  site.q = where_negative(z, fnma(bu, at.u, set1(1.0)), mul(r, delta));
  site.omega = where_negative(z, mul(bu, at.u), fnma(r, delta, set1(1.0)));
  const Vec log = log_of(where_negative(z, at.ratio, cdf));
  const Vec left = fnma(mul(set1(0.5), x), x, sub(set1(-0.918938533204672741780329736406), log));
  site.log_cdf = where_negative(z, left, add(log, div(lost, cdf)));
  return site;
}

GPSIEVE_TARGET void normal_sites(const double* z, Index n, const SiteColumns& out) {
  Index i = 0;
  for (; i + L <= n; i += L) {
    const SiteVectors site = site_of(load(z + i));
    store(out.log_cdf + i, site.log_cdf);
    store(out.r + i, site.r);
    store(out.delta + i, site.delta);
    store(out.q + i, site.q);
    store(out.omega + i, site.omega);
  }
  if (i == n) return;
  const Mask mask = mask_of(n - i);
  const SiteVectors site = site_of(load(z + i, mask));
  store(out.log_cdf + i, site.log_cdf, mask);
  store(out.r + i, site.r, mask);
  store(out.delta + i, site.delta, mask);
  store(out.q + i, site.q, mask);
  store(out.omega + i, site.omega, mask);
}
