// The average of a function of f over the tilted density p(y | f) N(f | mu, var) / Z, for gradients
// by parameters that have no closed form (theory.md (19)).
#ifndef GPSIEVE_LIKELIHOOD_FAMILIES_TILTED_AVERAGE_H
#define GPSIEVE_LIKELIHOOD_FAMILIES_TILTED_AVERAGE_H

#include <algorithm>
#include <cmath>

#include "likelihood/likelihood.h"
#include "math/normal.h"

namespace gpsieve {

// The trapezoidal rule about the mean of the tilted density, outwards until its terms are
// negligible. `t` are log Z and its derivatives, log_density(f) is log p(y | f), and `feature` is
// the width of the narrowest feature of p(y | f) as a function of f.
template <class LogDensityAt, class Function>
double tilted_average(const Tilted& t, const LogDensityAt& log_density, double mu, double var,
                      double feature, const Function& g) {
  if (var == 0.0) return g(mu);
  const double shift = var * t.d1, sd = std::sqrt(std::max(var + var * t.d2 * var, 0.0));
  constexpr double kStepsPerWidth = 3.0, kNegligible = 1e-15;
  const double step = std::min(sd, feature) / kStepsPerWidth;
  if (!(step > 0.0)) return g(mu + shift);
  double sum = 0.0, mass = 0.0, largest = 0.0;
  const auto add = [&](double k) {
    const double x = shift + k * step;
    const double z = x / std::sqrt(var);
    const double weight = std::exp(log_density(mu + x) + normal::log_pdf(z) - t.log_z);
    if (!(weight > 0.0)) return false;
    mass += weight;
    sum += weight * g(mu + x);
    largest = std::max(largest, weight);
    return weight > kNegligible * largest;
  };
  constexpr double kWithin = 3.0;  // standard deviations in which no term ends the sum
  for (double side : {-1.0, 1.0})
    for (double k = side < 0.0 ? 1.0 : 0.0; add(side * k) || k * step < kWithin * sd;) k += 1.0;
  return mass > 0.0 ? sum / mass : g(mu + shift);
}

}  // namespace gpsieve

#endif
