// Sums of the log-odds of a beta distribution and of a normal variable, by which distribution
// functions of counts are averaged over the latent function.
#ifndef GPSIEVE_MATH_LOG_ODDS_SUM_H
#define GPSIEVE_MATH_LOG_ODDS_SUM_H

#include <algorithm>
#include <cmath>

#include "math/incomplete.h"
#include "math/normal.h"

namespace gpsieve {

// P(L + z <= offset) for the log-odds L of a variable of the beta distribution of a and b, and
// z ~ N(0, var): the mean of Phi((offset - L) / sd) over L, by the trapezoidal rule. It has the
// more terms the narrower z is beside L. Log-odds have long tails where a or b is below 0.1.
inline double log_odds_sum_cdf(double a, double b, double offset, double var) {
  const double mode = std::log(a / b), sd = std::sqrt(var);
  const double h = std::min(0.3, 0.7 / std::sqrt(1.0 / (1.0 / a + 1.0 / b) + 1.0 / var));
  constexpr double kNegligible = 41.0;
  double sum = 0.0, total = 0.0;
  for (double side : {-1.0, 1.0}) {
    for (double step = side < 0.0 ? 1.0 : 0.0;; step += 1.0) {
      const double d = side * step * h, exponent = log_odds_below_peak(a, b, d);
      if (!(exponent >= -kNegligible)) break;
      const double weight = std::exp(exponent);
      sum += weight * normal::cdf((offset - mode - d) / sd);
      total += weight;
    }
  }
  return sum / total;
}

}  // namespace gpsieve

#endif
