// Greedy inclusion with scores of a randomised selection index J of `pool` rows
// (theory.md#randomised-search-with-delayed-updates).
#ifndef GPSIEVE_MODELS_IVM_POOL_SEARCH_H
#define GPSIEVE_MODELS_IVM_POOL_SEARCH_H

#include <memory>
#include <vector>

#include "base/context.h"
#include "base/rng.h"
#include "models/ivm/delayed_columns.h"

namespace gpsieve {

class PoolSearch {
 public:
  // Continues a full search, or starts from the prior if `start` is null.
  PoolSearch(IvmState& state, FullSearch* start, Rng& rng, const Context& ctx);

  // Includes the row of J with the largest score; false if no row could be found whose inclusion
  // would change the posterior.
  bool include_best();

 private:
  void refill();
  Indices draw(Index count);
  Vector score_index() const;
  void keep_best(const Indices& order, const Vector& scores, double share);

  IvmState& state_;
  Rng& rng_;
  const Context& ctx_;
  DelayedColumns columns_;
  Indices index_;  // J
  std::vector<char> in_index_;
};

}  // namespace gpsieve

#endif
