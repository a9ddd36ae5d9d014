#include "models/ivm/selection.h"

#include <algorithm>
#include <numeric>

namespace gpsieve {

Selection::Selection(IvmState& state, ColumnCache* cache, Rng& rng, const Context& ctx)
    : state_(state), cache_(cache), rng_(rng), ctx_(ctx) {
  const IvmOptions& options = state.options();
  const bool all_random = options.criterion == Criterion::random;
  n_random_ = all_random ? 0 : std::min(options.n_random, options.n_active);
  n_searched_ = all_random ? 0 : n_random_ + std::min(options.n_full, options.n_active - n_random_);
}

bool Selection::grow_to(Index size, const std::function<void()>& included) {
  while (state_.size() < size) {
    if (!include_next()) return false;
    included();
  }
  return true;
}

bool Selection::include_next() {
  if (!pool_ && state_.size() < n_searched_) {
    if (!full_) {
      full_ = std::make_unique<FullSearch>(state_, n_searched_, cache_, ctx_);
      first_.resize(state_.kernel().size());
      std::iota(first_.begin(), first_.end(), Index{0});
      rng_.shuffle_front(first_, n_random_);
      first_.resize(n_random_);
    }
    while (next_ < first_.size())
      if (full_->include_row(first_[next_++])) return true;
    return full_->include_best();
  }
  if (!pool_) {
    pool_ = std::make_unique<PoolSearch>(state_, full_.get(), rng_, ctx_);
    full_.reset();
  }
  return pool_->include_best();
}

}  // namespace gpsieve
