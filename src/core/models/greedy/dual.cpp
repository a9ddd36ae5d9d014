#include "models/greedy/dual.h"

#include <cmath>

namespace gpsieve {

GreedyDual::GreedyDual(const BoundKernel& kernel, VectorIn y, double noise, Index capacity)
    : basis_(kernel, capacity),
      noise_(noise),
      residual_(y),
      variance_(basis_.diagonal().array() + noise) {}

Index GreedyDual::best(const Indices* candidates) const {
  const Index count = candidates ? static_cast<Index>(candidates->size()) : basis_.rows();
  Index best = -1;
  double largest = -1.0;
  for (Index t = 0; t < count; ++t) {
    const Index j = candidates ? (*candidates)[t] : t;
    if (basis_.contains(j)) continue;
    const double gain = residual_(j) * residual_(j) / variance_(j);
    if (gain > largest) {
      largest = gain;
      best = j;
    }
  }
  return best;
}

void GreedyDual::add(Index j, const Context& ctx) {
  const Vector w = basis_.row(j);
  const Vector column = basis_.kernel_column(j, w, ctx);
  const double root = std::sqrt(variance_(j)), z = residual_(j) / root;
  basis_.append(j, column, w, root);
  const auto c = basis_.columns().col(size() - 1);
  residual_ -= z * c;
  // In exact arithmetic no variance falls below the noise.
  variance_ = (variance_ - c.cwiseAbs2()).cwiseMax(noise_);
  objective_ -= 0.5 * z * z;
}

}  // namespace gpsieve
