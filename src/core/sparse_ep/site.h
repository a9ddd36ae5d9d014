// The Gaussian site exp(-precision f^2 / 2 + shift f) of one likelihood term (notation.md#sites).
#ifndef GPSIEVE_SPARSE_EP_SITE_H
#define GPSIEVE_SPARSE_EP_SITE_H

#include "base/types.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

struct Site {
  double precision = 0.0;
  double shift = 0.0;  // precision times mean
};

// Moment matching, notation.md (5): the site for which N(mu, var) times the site has the mean and
// the variance of the tilted distribution. For a log-concave likelihood its precision is positive.
inline Site match_moments(const Tilted& tilted, double mu, double var) {
  const double beta = -tilted.d2, room = 1.0 - beta * var;
  return {beta / room, (tilted.d1 + mu * beta) / room};
}

}  // namespace gpsieve

#endif
