#include "math/argmax_probability.h"

#include <cmath>

#include "math/normal.h"
#include "math/tilted_integral.h"

namespace gpsieve {

double log_argmax_probability(Index which, VectorIn mean, VectorIn variance) {
  const Vector sd = variance.cwiseSqrt();
  LogDensity others;
  others.concave = true;
  others.at = [&](double f) {
    Jet sum{0.0, 0.0, 0.0};
    for (Index k = 0; k < mean.size(); ++k) {
      if (k == which) continue;
      const normal::Site site = normal::site((f - mean[k]) / sd[k]);
      sum.value += site.log_cdf;
      sum.first += site.r / sd[k];
      sum.second -= site.q / variance[k];
    }
    return sum;
  };
  return integrate_tilted(others, mean[which], variance[which]).value;
}

}  // namespace gpsieve
