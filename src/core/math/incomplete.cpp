// Series and continued fractions of the incomplete gamma and beta functions (DLMF 8.11.4, 8.9.2 and
// 8.17.22), the fractions by Lentz's method. The factors in front come from Stirling's series, so
// that large parameters lose no digits. Series and fractions have as many terms as the root of the
// parameters: for large ones the densities of the logarithm and of the log-odds are integrated.
#include "math/incomplete.h"

#include <algorithm>
#include <cmath>

#include "math/constants.h"
#include "math/gamma.h"
#include "math/quadrature.h"

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
  // Near 1 the logarithm of a ratio would lose the digits that a large parameter multiplies:
  // x n = a + away and rest n = b - away, `away` from the smaller of x and rest.
  const double away = rest < x ? b - rest * n : x * n - a;
  const auto log_ratio = [](double ratio, double difference) {
    return ratio > 0.5 && ratio < 2.0 ? std::log1p(difference) : std::log(ratio);
  };
  const double exponent =
      a * log_ratio(x * n / a, away / a) + b * log_ratio(rest * n / b, -away / b);
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

// The same by a series of positive terms, of which some x (a + b) are needed: the fraction loses
// the digits of 1 - x that a large b multiplies.
double beta_power_series(double x, double rest, double a, double b) {
  double sum = 1.0, term = 1.0;
  for (double k = 1.0; term > kEpsilon * sum; k += 1.0) {
    term *= x * (a + b + k - 1.0) / (a + k);
    sum += term;
  }
  return beta_factor(x, rest, a, b) * sum;
}

struct Tails {
  double below, above;
};

// The masses below and above the distance d from its maximum of a log-concave density, which is
// exp(log_ratio(d)) times that at the maximum and about as wide there as a normal one of standard
// deviation `sd`. The mass on the side away from the maximum is integrated, over panels of two such
// standard deviations until the density is negligible beside that at d.
template <class LogRatio>
Tails masses_beside(double d, double sd, double log_peak, const LogRatio& log_ratio) {
  constexpr double kNegligible = 41.0;
  const GaussKronrod& rule = gauss_kronrod();
  const double side = d < 0.0 ? -1.0 : 1.0, at_d = log_ratio(d);
  double sum = 0.0;
  for (double from = 0.0; log_ratio(d + side * from) > at_d - kNegligible; from += 2.0 * sd) {
    for (int i = 0; i < kKronrodNodes; ++i)
      sum += rule.kronrod[i] *
             std::exp(log_ratio(d + side * (from + sd * (1.0 + rule.nodes[i]))) - at_d);
  }
  const double tail = std::min(1.0, sd * sum * std::exp(at_d + log_peak));
  return d < 0.0 ? Tails{tail, 1.0 - tail} : Tails{1.0 - tail, tail};
}

// Of log X, X ~ Gamma(shape, 1).
Tails large_gamma(double x, double shape) {
  return masses_beside(std::log(x / shape), 1.0 / std::sqrt(shape),
                       0.5 * std::log(shape) - kLogSqrt2Pi - stirling_error(shape),
                       [shape](double d) { return -shape * exp_minus_linear(d); });
}

// Of the log-odds of X ~ Beta(a, b).
Tails large_beta(double x, double rest, double a, double b) {
  const double sd = std::sqrt((a + b) / (a * b));
  const double log_peak =
      stirling_error(a + b) - stirling_error(a) - stirling_error(b) - std::log(sd) - kLogSqrt2Pi;
  return masses_beside(std::log((x / a) / (rest / b)), sd, log_peak,
                       [a, b](double d) { return log_odds_below_peak(a, b, d); });
}

}  // namespace

double large_gamma_survival(double x, double shape) {
  return x > 0.0 ? large_gamma(x, shape).above : 1.0;
}

// With q = a / (a + b) and v = log(1 + q (exp(d) - 1)) it is a d - (a + b) v, which is the
// difference of two terms of second order in d that does not cancel for q <= 1/2.
double log_odds_below_peak(double a, double b, double d) {
  if (a > b) return log_odds_below_peak(b, a, -d);
  const double n = a + b, q = a / n;
  constexpr double kFar = 30.0;
  if (d > kFar) return a * d - n * (d + std::log(q + (1.0 - q) * std::exp(-d)));
  return n * (exp_minus_linear(std::log1p(q * std::expm1(d))) - q * exp_minus_linear(d));
}

double gamma_cdf(double x, double shape) {
  if (!(x > 0.0)) return 0.0;
  if (std::isinf(x)) return 1.0;
  if (shape >= kManyCounts) return large_gamma(x, shape).below;
  if (x < shape + 1.0) {
    double sum = 1.0, term = 1.0;
    for (double k = 1.0; term > kEpsilon * sum; k += 1.0) {
      term *= x / (shape + k);
      sum += term;
    }
    return std::min(1.0, gamma_factor(x, shape) * sum);
  }
  const double factor = gamma_factor(x, shape);
  if (!(factor > 0.0)) return 1.0;  // the terms of the fraction may overflow there
  const double fraction = continued_fraction(x + 1.0 - shape, [&](int k) {
    return Pair{-k * (k - shape), x + 2.0 * k + 1.0 - shape};
  });
  return std::max(0.0, 1.0 - factor * shape / fraction);
}

double beta_cdf(double x, double rest, double a, double b) {
  if (!(x > 0.0)) return 0.0;
  if (!(rest > 0.0)) return 1.0;
  if (std::min(a, b) >= kManyCounts) return large_beta(x, rest, a, b).below;
  const bool lower = x * (a + b + 2.0) < a + 1.0;
  constexpr double kLarge = 1e6, kMostTerms = 600.0;
  const bool few_terms = b > kLarge && x * (a + b) < kMostTerms;
  const double side = few_terms ? beta_power_series(x, rest, a, b)
                      : lower   ? beta_series(x, rest, a, b)
                                : 1.0 - beta_series(rest, x, b, a);
  return std::min(std::max(side, 0.0), 1.0);
}

}  // namespace gpsieve
