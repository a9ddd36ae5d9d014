// Functions of the latent function through an exponential or a logistic link.
#ifndef GPSIEVE_LIKELIHOOD_FAMILIES_LOG_LINK_H
#define GPSIEVE_LIKELIHOOD_FAMILIES_LOG_LINK_H

#include <algorithm>
#include <cmath>

#include "likelihood/likelihood.h"
#include "math/constants.h"

namespace gpsieve {

// log(1 + exp(x))
inline double log1p_exp(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
// 1 / (1 + exp(-x)), with small relative errors on both sides
inline double logistic(double x) {
  const double e = std::exp(-std::abs(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

// The moments of a response whose mean given f is m = exp(f) and whose variance given f is
// spread m^2 + m per_mean: m is log-normal.
inline Predicted log_normal_mixture(double mu, double var, double spread, double per_mean) {
  const double mean = std::exp(mu + 0.5 * var);
  if (mean == kInfinity) return {mean, mean};
  return {mean, mean * (per_mean + mean * (spread * std::exp(var) + std::expm1(var)))};
}

}  // namespace gpsieve

#endif
