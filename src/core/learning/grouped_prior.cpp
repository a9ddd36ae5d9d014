#include "learning/grouped_prior.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace gpsieve {
namespace {

// h of theory.md (6) and its derivative.
double penalty(double d) {
  const double far = std::abs(d);
  return far < 1.0 ? 0.5 * far * far : far - 0.5;
}
double penalty_slope(double d) { return std::clamp(d, -1.0, 1.0); }

bool is_pull(VectorIn pull, Index size) {
  return pull.size() == size && pull.allFinite() && (pull.array() >= 0.0).all();
}

}  // namespace

void GroupedPrior::require_size(Index size) const {
  const bool numbered =
      std::all_of(group.begin(), group.end(), [size](Index g) { return g >= 0 && g < size; });
  if (static_cast<Index>(group.size()) != size || !numbered || !is_pull(level, size) ||
      !is_pull(spread, size))
    throw InvalidSpec("the prior does not fit the hyper-parameters");
}

PriorAt GroupedPrior::at(const Vector& distance) const {
  const Index size = distance.size();
  PriorAt out{0.0, Vector::Zero(size)};
  Vector count = Vector::Zero(size), mean = count, own_level = count, spread_slope = count;
  for (Index i = size - 1; i >= 0; --i) {
    const Index g = group[static_cast<std::size_t>(i)];
    count(g) += 1.0;
    mean(g) += distance(i);
    own_level(g) = level(i);
  }
  for (Index g = 0; g < size; ++g) {
    if (count(g) == 0.0) continue;
    mean(g) /= count(g);
    out.log_density -= own_level(g) * penalty(mean(g));
  }
  for (Index i = 0; i < size; ++i) {
    const Index g = group[static_cast<std::size_t>(i)];
    const double apart = distance(i) - mean(g);
    out.log_density -= spread(i) * penalty(apart);
    out.gradient(i) = -spread(i) * penalty_slope(apart);
    spread_slope(g) -= out.gradient(i);
  }
  // The mean of a group moves with each of its parameters.
  for (Index i = 0; i < size; ++i) {
    const Index g = group[static_cast<std::size_t>(i)];
    out.gradient(i) += (spread_slope(g) - own_level(g) * penalty_slope(mean(g))) / count(g);
  }
  return out;
}

}  // namespace gpsieve
