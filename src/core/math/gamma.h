// The logarithm of the gamma function without the global sign variable of std::lgamma, and
// related functions that stay accurate where differences of it would cancel.
#ifndef GPSIEVE_MATH_GAMMA_H
#define GPSIEVE_MATH_GAMMA_H

namespace gpsieve {

double log_gamma(double x);  // x > 0

// The first two derivatives of log_gamma(); x > 0.
double digamma(double x);
double trigamma(double x);

// All three together, which cost hardly more than one of them.
struct LogGammaJet {
  double value, first, second;
};
LogGammaJet log_gamma_jet(double x);  // x > 0

// log Gamma(x) - [(x - 1/2) log x - x + log sqrt(2 pi)], about 1 / (12 x); x > 0
double stirling_error(double x);

// exp(u) - 1 - u without cancellation near 0
double exp_minus_linear(double u);

}  // namespace gpsieve

#endif
