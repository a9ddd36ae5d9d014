#include "math/normal.h"

#include <cmath>
#include <limits>

#include "math/constants.h"

namespace gpsieve::normal {
namespace {

// 1 / sqrt(2) as a 24-bit leading part, whose product with a 24-bit number is exact, and the rest.
constexpr double kInvSqrt2High = 0x1.6a09e6p-1;
constexpr double kInvSqrt2Low = 1.210161710447896936210485e-8;

// Left of this, r + z = delta would lose digits to cancellation: use the continued fraction.
constexpr double kTail = -3.0;
// phi(z) is below the smallest double from here on.
constexpr double kNoDensity = 39.0;

// The leading 24 bits of z; z minus this is exact. Needs |z| < 1e38.
double leading_bits(double z) { return static_cast<double>(static_cast<float>(z)); }

// phi(z) for |z| < 39. The square is formed as square + error exactly: without the error term the
// relative error of the result would be z^2 / 2 rounding errors.
double density(double z) {
  const double high = leading_bits(z);
  const double low = z - high;
  const double square = z * z;
  const double error = ((high * high - square) + 2.0 * high * low) + low * low;
  return kInvSqrt2Pi * std::exp(-0.5 * square) * (1.0 - 0.5 * error);
}

// 1 - Phi(x) for 0 <= x < 39, given phi(x). The rounding error of x / sqrt(2) is corrected to
// first order, for the same reason.
double upper_tail(double x, double phi) {
  const double high = leading_bits(x);
  const double scaled = x * (kInvSqrt2High + kInvSqrt2Low);
  const double error =
      ((high * kInvSqrt2High - scaled) + (x - high) * kInvSqrt2High) + x * kInvSqrt2Low;
  return 0.5 * std::erfc(scaled) - error * kSqrt2 * phi;
}

// Mills ratio by its continued fraction, x = -z >= 3:
//   delta = 1 / (x + c1),  c1 = 2 / t_3,  t_k = x + k / t_{k+1},
// started at t_{K+1} = (x + sqrt(x^2 + 4 (K + 1))) / 2. K = 9 + 130 / x terms give delta and omega
// to 5e-17 (found by comparison with K = 4000 in quadruple precision; x = 3 needs 51). The
// quotients are carried as numerator / denominator so that one division is left.
struct Mills {
  double delta, c1;
};
Mills mills(double x) {
  constexpr double kLeadingTermOnly = 1e9;  // k / x^2 is below rounding for every k used
  if (x > kLeadingTermOnly) {
    const double c1 = 2.0 / x;
    return {1.0 / (x + c1), c1};
  }
  const int terms = 9 + static_cast<int>(130.0 / x);
  double numerator = 0.5 * (x + std::sqrt(x * x + 4.0 * (terms + 1)));
  double denominator = 1.0;
  for (int k = terms; k >= 3; --k) {
    const double next = x * numerator + k * denominator;
    denominator = numerator;
    numerator = next;
  }
  const double c1 = 2.0 * denominator / numerator;
  return {1.0 / (x + c1), c1};
}

double tail_log_cdf(double x, double r) { return -0.5 * x * x - kLogSqrt2Pi - std::log(r); }

// Acklam's rational approximation (2003) of the lower quantile, relative error 1.2e-9.
constexpr double kTailProbability = 0.02425;
double rough_lower_tail_quantile(double p) {
  const double t = std::sqrt(-2.0 * std::log(p));
  return (((((-7.784894002430293e-03 * t - 3.223964580411365e-01) * t - 2.400758277161838e+00) * t -
            2.549732539343734e+00) *
               t +
           4.374664141464968e+00) *
              t +
          2.938163982698783e+00) /
         ((((7.784695709041462e-03 * t + 3.224671290700398e-01) * t + 2.445134137142996e+00) * t +
           3.754408661907416e+00) *
              t +
          1.0);
}
double rough_central_quantile(double p_minus_half) {
  const double s = p_minus_half;
  const double t = s * s;
  return (((((-3.969683028665376e+01 * t + 2.209460984245205e+02) * t - 2.759285104469687e+02) * t +
            1.383577518672690e+02) *
               t -
           3.066479806614716e+01) *
              t +
          2.506628277459239e+00) *
         s /
         (((((-5.447609879822406e+01 * t + 1.615858368580409e+02) * t - 1.556989798598866e+02) * t +
            6.680131188771972e+01) *
               t -
           1.328068155288572e+01) *
              t +
          1.0);
}

}  // namespace

double log_pdf(double z) { return -0.5 * z * z - kLogSqrt2Pi; }

double cdf(double z) {
  if (std::isnan(z)) return z;
  if (z >= kNoDensity) return 1.0;
  if (z <= -kNoDensity) return 0.0;
  const double phi = density(z);
  return z < 0.0 ? upper_tail(-z, phi) : 1.0 - upper_tail(z, phi);
}

double log_cdf(double z) {
  if (std::isnan(z)) return z;
  if (z >= kNoDensity) return 0.0;
  if (z < kTail) return tail_log_cdf(-z, mills(-z).delta - z);
  const double tail = upper_tail(std::abs(z), density(z));
  return z < 0.0 ? std::log(tail) : std::log1p(-tail);
}

Site site(double z) {
  if (z < kTail) {
    const double x = -z;
    const Mills m = mills(x);
    const double r = x + m.delta;
    return {tail_log_cdf(x, r), r, m.delta, r * m.delta, m.delta * (m.c1 - m.delta)};
  }
  if (z >= kNoDensity) return {0.0, 0.0, z, 0.0, 1.0};
  if (std::isnan(z)) return {z, z, z, z, z};
  const double phi = density(z);
  const double tail = upper_tail(std::abs(z), phi);
  const double r = phi / (z < 0.0 ? tail : 1.0 - tail);
  const double delta = r + z;
  const double q = r * delta;
  return {z < 0.0 ? std::log(tail) : std::log1p(-tail), r, delta, q, 1.0 - q};
}

double quantile(double probability) {
  if (!(probability >= 0.0 && probability <= 1.0)) return std::numeric_limits<double>::quiet_NaN();
  if (probability == 0.0) return -std::numeric_limits<double>::infinity();
  if (probability == 1.0) return std::numeric_limits<double>::infinity();
  const double p_minus_half = probability - 0.5;
  if (std::abs(p_minus_half) <= 0.5 - kTailProbability) {
    // One Halley step on erf, whose relative accuracy at 0 keeps the digits of p - 1/2.
    const double z = rough_central_quantile(p_minus_half);
    const double error =
        (0.5 * std::erf(z / kSqrt2) - p_minus_half) * kSqrt2Pi * std::exp(0.5 * z * z);
    return z - error / (1.0 + 0.5 * z * error);
  }
  // One Newton step on log Phi, which is nearly quadratic: p may be as small as a double can be.
  const double p = probability < 0.5 ? probability : 1.0 - probability;
  const double z = rough_lower_tail_quantile(p);
  const Site s = site(z);
  const double refined = z - (s.log_cdf - std::log(p)) / s.r;
  return probability < 0.5 ? refined : -refined;
}

}  // namespace gpsieve::normal
