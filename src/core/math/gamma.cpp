#include "math/gamma.h"

#include <cmath>

#include "math/constants.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

// The asymptotic series below is exact to rounding from here on.
constexpr double kStirlingFrom = 16.0;

double stirling_series(double x) {
  const double t = 1.0 / (x * x);
  return (1.0 / 12.0 - t * (1.0 / 360.0 -
                            t * (1.0 / 1260.0 -
                                 t * (1.0 / 1680.0 - t * (1.0 / 1188.0 - t * 691.0 / 360360.0))))) /
         x;
}

double stirling_leading(double x) { return (x - 0.5) * std::log(x) - x + kLogSqrt2Pi; }

// Those of digamma(x) - log x and of trigamma(x) - 1 / x.
double digamma_series(double x) {
  const double t = 1.0 / (x * x);
  return -0.5 / x -
         t * (1.0 / 12.0 - t * (1.0 / 120.0 -
                                t * (1.0 / 252.0 -
                                     t * (1.0 / 240.0 - t * (1.0 / 132.0 - t * 691.0 / 32760.0)))));
}

double trigamma_series(double x) {
  const double t = 1.0 / (x * x);
  return 0.5 * t + t / x *
                       (1.0 / 6.0 -
                        t * (1.0 / 30.0 - t * (1.0 / 42.0 - t * (1.0 / 30.0 - t * (5.0 / 66.0)))));
}

}  // namespace

double log_gamma(double x) {
  double product = 1.0;  // Gamma(x) = Gamma(x + n) / (x (x + 1) ... (x + n - 1))
  for (; x < kStirlingFrom; x += 1.0) product *= x;
  return stirling_leading(x) + stirling_series(x) - std::log(product);
}

double digamma(double x) {
  double sum = 0.0;  // digamma(x) = digamma(x + n) - 1 / x - ... - 1 / (x + n - 1)
  for (; x < kStirlingFrom; x += 1.0) sum -= 1.0 / x;
  return sum + std::log(x) + digamma_series(x);
}

double trigamma(double x) {
  double sum = 0.0;
  for (; x < kStirlingFrom; x += 1.0) sum += 1.0 / (x * x);
  return sum + 1.0 / x + trigamma_series(x);
}

LogGammaJet log_gamma_jet(double x) {
  double product = 1.0, sum = 0.0, squares = 0.0;
  for (; x < kStirlingFrom; x += 1.0) {
    const double inverse = 1.0 / x;
    product *= x;
    sum += inverse;
    squares += inverse * inverse;
  }
  const double log_x = std::log(x);
  return {(x - 0.5) * log_x - x + kLogSqrt2Pi + stirling_series(x) - std::log(product),
          log_x + digamma_series(x) - sum, squares + 1.0 / x + trigamma_series(x)};
}

double stirling_error(double x) {
  return x < kStirlingFrom ? log_gamma(x) - stirling_leading(x) : stirling_series(x);
}

double exp_minus_linear(double u) {
  constexpr double kSeriesBelow = 0.1;  // nine terms reach 1e-16 relative there
  if (std::abs(u) >= kSeriesBelow) return std::expm1(u) - u;
  double sum = 0.0;
  for (int k = 10; k >= 2; --k) sum = (1.0 + sum) * u / k;  // u^2/2! + u^3/3! + ... over u
  return sum * u;
}

}  // namespace gpsieve
