#include "math/argmax_probability.h"

#include <algorithm>
#include <cmath>

#include "math/normal.h"
#include "math/tilted_integral.h"

namespace gpsieve {

double log_argmax_probability(Index which, VectorIn mean, VectorIn variance) {
  const Vector sd = variance.cwiseSqrt();
  normal::SiteBlock sites;
  LogDensity others;
  others.concave = true;
  others.at = [&](double f) {
    Jet sum{0.0, 0.0, 0.0};
    for (Index begin = 0; begin < mean.size(); begin += normal::SiteBlock::kSize) {
      const Index count = std::min(mean.size() - begin, normal::SiteBlock::kSize);
      for (Index i = 0; i < count; ++i) sites.z[i] = (f - mean[begin + i]) / sd[begin + i];
      sites.evaluate(count);
      for (Index i = 0; i < count; ++i) {
        const Index k = begin + i;
        if (k == which) continue;
        sum.value += sites.log_cdf[i];
        sum.first += sites.r[i] / sd[k];
        sum.second -= sites.q[i] / variance[k];
      }
    }
    return sum;
  };
  return integrate_tilted(others, mean[which], variance[which]).value;
}

}  // namespace gpsieve
