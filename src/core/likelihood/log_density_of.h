// The density of a likelihood at one response, as a function of f, for integrals over f.
#ifndef GPSIEVE_LIKELIHOOD_LOG_DENSITY_OF_H
#define GPSIEVE_LIKELIHOOD_LOG_DENSITY_OF_H

#include "likelihood/likelihood.h"
#include "math/tilted_integral.h"

namespace gpsieve {

// Both arguments must outlive the result: two references are what std::function holds in itself.
inline LogDensity log_density_of(const Likelihood& likelihood, const Observed& y) {
  return {[&likelihood, &y](double f) {
            const Tilted l = likelihood.derivatives(y, f);
            return Jet{l.log_z, l.d1, l.d2};
          },
          likelihood.log_concave(), likelihood.response() == Response::real ? y.first : 0.0};
}

}  // namespace gpsieve

#endif
