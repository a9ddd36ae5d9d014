#include "math/normal.h"

#include <cmath>
#include <limits>

#include "math/constants.h"

namespace gpsieve::normal {
namespace {

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
  double value;
  kernels().normal_cdf(&z, &value, 1, 1.0);
  return value;
}

double log_cdf(double z) { return site(z).log_cdf; }

Site site(double z) {
  Site s;
  kernels().normal_sites(&z, 1, {&s.log_cdf, &s.r, &s.delta, &s.q, &s.omega});
  return s;
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
