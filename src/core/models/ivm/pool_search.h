// Greedy inclusion from a randomised selection index.
//
// Only the `pool` rows of the index J are kept up to date. After an inclusion the best `retain`
// share of J gets its new row of M; the rest is dropped and replaced by rows drawn uniformly from
// all others.
#ifndef GPSIEVE_MODELS_IVM_POOL_SEARCH_H
#define GPSIEVE_MODELS_IVM_POOL_SEARCH_H

#include <vector>

#include "base/context.h"
#include "base/rng.h"
#include "models/ivm/delayed_columns.h"

namespace gpsieve {

class PoolSearch {
 public:
  // Takes over from a full search, or starts from the prior where `start` is null.
  PoolSearch(IvmState& state, FullSearch* start, Rng& rng, const Context& ctx);

  // Includes the best row of the index; false when no row anywhere has anything to say.
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
