// Distribution functions of the gamma and beta distributions.
#ifndef GPSIEVE_MATH_INCOMPLETE_H
#define GPSIEVE_MATH_INCOMPLETE_H

namespace gpsieve {

// P(X <= x) for X ~ Gamma(shape, 1).
double gamma_cdf(double x, double shape);

// P(X > x) for X ~ Gamma(shape, 1) of a shape that is at least kManyCounts.
double large_gamma_survival(double x, double shape);
// Sums over as many counts as a distribution of this mean has would take longer than integrals.
inline constexpr double kManyCounts = 1000.0;

// The logarithm of exp(a L) / (1 + exp(L))^(a + b), as a function of the log-odds L, over its
// largest value, at the distance d from the maximum log(a / b); a, b > 0.
double log_odds_below_peak(double a, double b, double d);

// P(X <= x) for X ~ Beta(a, b); `rest` is 1 - x, which the caller knows with all its digits.
double beta_cdf(double x, double rest, double a, double b);

}  // namespace gpsieve

#endif
