#include "models/greedy/candidates.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace gpsieve {
namespace {

Indices unused_rows(const IncrementalBasis& basis) {
  Indices rows;
  for (Index j = 0; j < basis.rows(); ++j)
    if (!basis.contains(j)) rows.push_back(j);
  return rows;
}

}  // namespace

Indices CandidateSource::next(const IncrementalBasis& basis) {
  if (!lists_.empty()) {
    Indices rows;
    if (basis.size() >= static_cast<Index>(lists_.size())) return rows;
    for (const Index j : lists_[static_cast<std::size_t>(basis.size())])
      if (!basis.contains(j)) rows.push_back(j);
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  if (count_ == 0 || count_ >= basis.rows() - basis.size()) return unused_rows(basis);
  std::unordered_set<Index> drawn;
  while (static_cast<Index>(drawn.size()) < count_) {
    const Index j = rng_.below(basis.rows());
    if (!basis.contains(j)) drawn.insert(j);
  }
  Indices rows(drawn.begin(), drawn.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

bool CandidateSource::can_draw_again(const IncrementalBasis& basis) const {
  return lists_.empty() && count_ > 0 && count_ < basis.rows() - basis.size();
}

Index first_largest(VectorIn gains) {
  Index best = -1;
  double largest = 0.0;
  for (Index t = 0; t < gains.size(); ++t)
    if (gains(t) > largest || (best < 0 && gains(t) >= 0.0)) {
      best = t;
      largest = gains(t);
    }
  return best;
}

Indices by_decreasing_gain(VectorIn gains) {
  Indices order;
  for (Index t = 0; t < gains.size(); ++t)
    if (gains(t) >= 0.0) order.push_back(t);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return gains(a) > gains(b); });
  return order;
}

}  // namespace gpsieve
