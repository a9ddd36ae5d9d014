// The active set as it grows: rows at random, then the best of all rows (theory.md
// #search-over-all-rows), then the best of a selection index
// (theory.md#randomised-search-with-delayed-updates).
#ifndef GPSIEVE_MODELS_IVM_SELECTION_H
#define GPSIEVE_MODELS_IVM_SELECTION_H

#include <functional>
#include <memory>

#include "base/context.h"
#include "base/rng.h"
#include "models/ivm/full_search.h"
#include "models/ivm/pool_search.h"
#include "models/ivm/state.h"

namespace gpsieve {

class Selection {
 public:
  // Keeps references to all arguments. `cache` may be null.
  Selection(IvmState& state, ColumnCache* cache, Rng& rng, const Context& ctx);

  // Includes rows until the active set has `size` of them, at most n_active, and calls `included`
  // after each; false if no further row would change the posterior. Growing in several calls
  // includes the same rows as growing in one.
  bool grow_to(
      Index size, const std::function<void()>& included = [] {});

 private:
  bool include_next();

  IvmState& state_;
  ColumnCache* cache_;
  Rng& rng_;
  const Context& ctx_;
  Index n_random_, n_searched_;  // how many are included at random, and in all before the index
  Indices first_;                // the random rows
  std::size_t next_ = 0;         // of first_
  std::unique_ptr<FullSearch> full_;
  std::unique_ptr<PoolSearch> pool_;
};

}  // namespace gpsieve

#endif
