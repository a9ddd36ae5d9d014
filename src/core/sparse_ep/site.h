// Gaussian sites: the factor exp(-precision f^2 / 2 + shift f) that stands for one likelihood term.
#ifndef GPSIEVE_SPARSE_EP_SITE_H
#define GPSIEVE_SPARSE_EP_SITE_H

#include "base/types.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

struct Site {
  double precision = 0.0;
  double shift = 0.0;  // precision times mean
};

// The site that makes N(mu, var) times site match the tilted moments: with h = d1, beta = -d2,
//   precision = beta / (1 - beta var),  shift = (h + mu beta) / (1 - beta var).
// For a log-concave likelihood 0 < beta var < 1, so the precision is positive.
inline Site match_moments(const Tilted& tilted, double mu, double var) {
  const double beta = -tilted.d2, room = 1.0 - beta * var;
  return {beta / room, (tilted.d1 + mu * beta) / room};
}

}  // namespace gpsieve

#endif
