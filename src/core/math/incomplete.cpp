// Series and continued fractions of the incomplete gamma and beta functions (DLMF 8.11.4, 8.9.2 and
// 8.17.22), the fractions by Lentz's method. The factors in front come from Stirling's series, so
// that large parameters lose no digits.
#include "math/incomplete.h"

#include <algorithm>
#include <cmath>

#include "math/constants.h"
#include "math/gamma.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

constexpr double kTiny = 1e-300;
constexpr int kMaxTerms = 1000000;

// x^a exp(-x) / Gamma(a + 1)
double gamma_factor(double x, double a) {
  return std::exp(-a * exp_minus_linear(std::log(x / a)) - 0.5 * std::log(a) - kLogSqrt2Pi -
                  stirling_error(a));
}

// x^a rest^b / (a B(a, b))
double beta_factor(double x, double rest, double a, double b) {
  const double n = a + b;
  const double exponent = a * std::log(x * n / a) + b * std::log(rest * n / b);
  return std::exp(exponent + 0.5 * std::log(b / (a * n)) - kLogSqrt2Pi - stirling_error(a) -
                  stirling_error(b) + stirling_error(n));
}

// Lentz's method: term(k) gives the k-th pair of numerator and denominator.
template <class Term>
double continued_fraction(double first, const Term& term) {
  double value = first == 0.0 ? kTiny : first, c = value, d = 0.0;
  for (int k = 1; k < kMaxTerms; ++k) {
    const auto [numerator, denominator] = term(k);
    d = denominator + numerator * d;
    c = denominator + numerator / c;
    if (d == 0.0) d = kTiny;
    if (c == 0.0) c = kTiny;
    d = 1.0 / d;
    const double change = c * d;
    value *= change;
    if (std::abs(change - 1.0) < kEpsilon) break;
  }
  return value;
}

struct Pair {
  double numerator, denominator;
};

double beta_series(double x, double rest, double a, double b) {
  const double fraction = continued_fraction(1.0, [&](int k) {
    const double m = std::floor(0.5 * k);
    const double numerator =
        k % 2 == 1 ? -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
                   : m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    return Pair{numerator, 1.0};
  });
  return beta_factor(x, rest, a, b) / fraction;
}

}  // namespace

double gamma_cdf(double x, double shape) {
  if (!(x > 0.0)) return 0.0;
  if (std::isinf(x)) return 1.0;
  constexpr double kManyTerms = 1e10;
  if (shape > kManyTerms) {  // Wilson & Hilferty (1931); its error is of order 1 / shape
    return normal::cdf(3.0 * std::sqrt(shape) * (std::cbrt(x / shape) - 1.0 + 1.0 / (9.0 * shape)));
  }
  if (x < shape + 1.0) {
    double sum = 1.0, term = 1.0;
    for (double k = 1.0; term > kEpsilon * sum; k += 1.0) {
      term *= x / (shape + k);
      sum += term;
    }
    return std::min(1.0, gamma_factor(x, shape) * sum);
  }
  const double fraction = continued_fraction(x + 1.0 - shape, [&](int k) {
    return Pair{-k * (k - shape), x + 2.0 * k + 1.0 - shape};
  });
  return std::max(0.0, 1.0 - gamma_factor(x, shape) * shape / fraction);
}

double beta_cdf(double x, double rest, double a, double b) {
  if (!(x > 0.0)) return 0.0;
  if (!(rest > 0.0)) return 1.0;
  const bool lower = x * (a + b + 2.0) < a + 1.0;
  const double side = lower ? beta_series(x, rest, a, b) : 1.0 - beta_series(rest, x, b, a);
  return std::min(std::max(side, 0.0), 1.0);
}

}  // namespace gpsieve
