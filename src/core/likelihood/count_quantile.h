// Quantiles of counts from their distribution functions.
#ifndef GPSIEVE_LIKELIHOOD_COUNT_QUANTILE_H
#define GPSIEVE_LIKELIHOOD_COUNT_QUANTILE_H

#include <algorithm>
#include <cmath>

#include "math/constants.h"
#include "math/normal.h"

namespace gpsieve {

// The smallest count whose distribution function `cdf` reaches `probability`, sought from `start`;
// infinite where there is none. The steps outwards grow by factors. Between two counts on either
// side the distribution function is taken to be that of a normal variable, and every third step
// halves.
template <class Cdf>
double count_quantile(const Cdf& cdf, double probability, double start) {
  constexpr double kGrowth = 4.0, kLargest = 1e300, kShare = 1.0 / 64.0;
  double low = 0.0, f_low = cdf(low);  // f_low < probability <= f_high
  if (f_low >= probability) return low;
  double high = std::floor(std::min(std::max(start, 1.0), kLargest)), f_high = cdf(high);
  double step = 1.0 + std::floor(kShare * high);
  while (f_high >= probability && high - step > low) {
    const double y = high - step, f = cdf(y);
    step *= kGrowth;
    (f < probability ? low : high) = y;
    (f < probability ? f_low : f_high) = f;
    if (f < probability) break;
  }
  for (; f_high < probability; step *= kGrowth) {
    low = high;
    f_low = f_high;
    high += step;
    if (!std::isfinite(high)) return kInfinity;
    f_high = cdf(high);
  }
  const double wanted = normal::quantile(probability);
  for (int count = 1; high - low > 1.0; ++count) {
    double y = low + 0.5 * (high - low);
    const double z_low = normal::quantile(f_low), z_high = normal::quantile(f_high);
    if (count % 3 != 0 && std::isfinite(z_low) && std::isfinite(z_high) && z_high > z_low)
      y = low + (high - low) * (wanted - z_low) / (z_high - z_low);
    y = std::min(std::max(std::floor(y), low + 1.0), high - 1.0);
    if (y <= low || y >= high) break;  // counts beyond 2^53
    const double f = cdf(y);
    (f < probability ? low : high) = y;
    (f < probability ? f_low : f_high) = f;
  }
  return high;
}

// A number near the quantile at `probability` of a count of mean exp(f), f ~ N(mu, var): that of a
// log-normal variable about as wide as a Poisson count of rate exp(f).
inline double near_count_quantile(double probability, double mu, double var) {
  return std::exp(mu +
                  normal::quantile(probability) * std::sqrt(var + std::exp(-std::max(mu, 0.0))));
}

}  // namespace gpsieve

#endif
