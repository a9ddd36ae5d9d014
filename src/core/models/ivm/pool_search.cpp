#include "models/ivm/pool_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gpsieve {
namespace {

// A selection index without a candidate is drawn anew this often before the search stops.
constexpr int kMostDraws = 20;

}  // namespace

PoolSearch::PoolSearch(IvmState& state, FullSearch* start, Rng& rng, const Context& ctx)
    : state_(state),
      rng_(rng),
      ctx_(ctx),
      columns_(state, start, ctx.threads),
      in_index_(state.kernel().size(), 0) {}

bool PoolSearch::include_best() {
  const bool at_random = state_.options().criterion == Criterion::random;
  for (int attempt = 0; attempt < kMostDraws; ++attempt) {
    if (!at_random || index_.empty()) refill();
    if (index_.empty()) return false;
    const Vector scores = score_index();

    // Positions in J by decreasing score, rows with equal scores in increasing order.
    Indices order(index_.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
      return scores(a) > scores(b) || (!(scores(b) > scores(a)) && index_[a] < index_[b]);
    });
    const Index winner = index_[order[0]];
    Inclusion inclusion;
    const bool found = std::isfinite(scores(order[0])) &&
                       state_.include(winner, columns_.column(winner), columns_.mean(winner),
                                      columns_.variance(winner), inclusion);
    keep_best(order, scores, at_random ? 1.0 : found ? state_.options().retain : 0.0);
    if (found) columns_.append(inclusion, index_);
    ctx_.check();
    if (found) return true;
  }
  return false;
}

Vector PoolSearch::score_index() const {
  const Index count = static_cast<Index>(index_.size());
  Vector mean(count), variance(count), scores(count);
  for (Index j = 0; j < count; ++j) {
    mean(j) = columns_.mean(index_[j]);
    variance(j) = columns_.variance(index_[j]);
  }
  state_.scores(index_.data(), mean, variance, scores);
  if (state_.options().criterion == Criterion::random)  // the order of the draw decides
    for (Index j = 0; j < count; ++j)
      if (std::isfinite(scores(j))) scores(j) = static_cast<double>(count - j);
  return scores;
}

void PoolSearch::keep_best(const Indices& order, const Vector& scores, double share) {
  const Index limit = static_cast<Index>(share * static_cast<double>(state_.options().pool));
  const Index last = std::min(static_cast<Index>(order.size()) - 1, limit);
  Indices kept;
  kept.reserve(state_.options().pool);
  for (Index j = 1; j <= last; ++j)
    if (std::isfinite(scores(order[j]))) kept.push_back(index_[order[j]]);
  for (const Index row : index_) in_index_[row] = 0;
  index_.swap(kept);
  for (const Index row : index_) in_index_[row] = 1;
}

void PoolSearch::refill() {
  const IvmOptions& options = state_.options();
  const Index present = static_cast<Index>(index_.size());
  const Index rest = state_.kernel().size() - state_.size() - present;
  Index wanted = options.pool - present;
  if (options.criterion == Criterion::random)  // no more than are still needed
    wanted = std::min(wanted, options.n_active - state_.size());
  const Indices fresh = draw(std::min(wanted, rest));
  if (fresh.empty()) return;
  columns_.bring_up_to_date(fresh);
  for (const Index row : fresh) {
    in_index_[row] = 1;
    index_.push_back(row);
  }
}

Indices PoolSearch::draw(Index count) {
  Indices fresh;
  if (count <= 0) return fresh;
  const Index n = state_.kernel().size();
  const Index taken = state_.size() + static_cast<Index>(index_.size());
  const auto available = [this](Index row) { return !in_index_[row] && !state_.included(row); };
  if (2 * (taken + count) < n) {  // rejection sampling accepts more than half of the draws
    fresh.reserve(count);
    while (static_cast<Index>(fresh.size()) < count) {
      const Index row = rng_.below(n);
      if (!available(row)) continue;
      fresh.push_back(row);
      in_index_[row] = 1;
    }
    return fresh;
  }
  for (Index row = 0; row < n; ++row)
    if (available(row)) fresh.push_back(row);
  rng_.shuffle_front(fresh, count);
  fresh.resize(count);
  return fresh;
}

}  // namespace gpsieve
