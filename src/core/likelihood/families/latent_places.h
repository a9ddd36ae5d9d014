// Where expectations over the latent function of many rows are taken.
#ifndef GPSIEVE_LIKELIHOOD_FAMILIES_LATENT_PLACES_H
#define GPSIEVE_LIKELIHOOD_FAMILIES_LATENT_PLACES_H

#include <cmath>
#include <vector>

#include "base/types.h"
#include "math/quadrature.h"

namespace gpsieve {

// Values of the latent function of every row, with the weights of a Gauss-Hermite rule.
struct LatentPlaces {
  std::vector<double> f, weights;
  std::vector<Index> end;  // of each row

  LatentPlaces(VectorIn mu, VectorIn var) {
    constexpr int kOrder = 21;
    constexpr double kKnown = 1e-16;  // with a smaller variance f is taken to be its mean
    const GaussHermite& rule = gauss_hermite_table<kOrder>();
    for (Index i = 0; i < mu.size(); ++i) {
      const bool known = var[i] < kKnown;
      for (int k = 0; k < (known ? 1 : kOrder); ++k) {
        f.push_back(known ? mu[i] : mu[i] + std::sqrt(var[i]) * rule.nodes[k]);
        weights.push_back(known ? 1.0 : rule.weights[k]);
      }
      end.push_back(static_cast<Index>(f.size()));
    }
  }
  Index first(Index row) const { return row > 0 ? end[row - 1] : 0; }
};

}  // namespace gpsieve

#endif
