#include "exact/covariance_product.h"

#include "base/error.h"

namespace gpsieve {

std::vector<SliceRange> slices_of_share(Index share, Index shares) {
  if (share < 0 || share >= shares) throw InvalidSpec("a product has no such share");
  const bool power_of_two = (shares & (shares - 1)) == 0;
  const Index ranges = power_of_two && shares < kProductSlices ? shares : kProductSlices;
  const Index count = kProductSlices / ranges;
  std::vector<SliceRange> out;
  for (Index range = ranges * share / shares; range < ranges * (share + 1) / shares; ++range)
    out.push_back({range * count, count});
  return out;
}

void PairwiseSum::add(Matrix term) {
  Index level = 0;
  for (; !sums_.empty() && sums_.back().first == level; ++level) {
    sums_.back().second += term;
    term = std::move(sums_.back().second);
    sums_.pop_back();
  }
  sums_.emplace_back(level, std::move(term));
}

Matrix& PairwiseSum::total() {
  if (sums_.size() != 1) throw InvalidSpec("a sum in pairs lacks terms");
  return sums_.front().second;
}

}  // namespace gpsieve
