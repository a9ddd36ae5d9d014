// Distribution functions of the gamma and beta distributions.
#ifndef GPSIEVE_MATH_INCOMPLETE_H
#define GPSIEVE_MATH_INCOMPLETE_H

namespace gpsieve {

// P(X <= x) for X ~ Gamma(shape, 1).
double gamma_cdf(double x, double shape);

// P(X <= x) for X ~ Beta(a, b); `rest` is 1 - x, which the caller knows with all its digits.
double beta_cdf(double x, double rest, double a, double b);

}  // namespace gpsieve

#endif
