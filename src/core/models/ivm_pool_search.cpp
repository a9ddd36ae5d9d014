#include "models/ivm_pool_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/products.h"
#include "simd/leaves.h"

namespace gpsieve {
namespace {

// Rows of M computed together for the fresh columns. A column joins at the block in which its
// `have` falls, so larger blocks recompute more rows; smaller ones pack the panel more often.
constexpr Index kRowBlock = 64;
// An index without one useful row is redrawn this often before the search gives up.
constexpr int kBarrenDraws = 20;

}  // namespace

PoolSearch::PoolSearch(IvmState& state, FullSearch* start, Rng& rng, const Context& ctx)
    : state_(state),
      rng_(rng),
      ctx_(ctx),
      threads_(ctx.threads),
      ld_(state.options().n_active),
      columns_(new double[static_cast<std::size_t>(ld_) * state.kernel().size()]),
      have_(state.kernel().size(), state.size()),
      in_index_(state.kernel().size(), 0) {
  if (start) {
    mean_ = start->mean();
    variance_ = start->variance();
    start->hand_over(columns_.get(), ld_);
  } else {
    mean_ = Vector::Zero(state.kernel().size());
    variance_.resize(state.kernel().size());
    state.kernel().kernel().diagonal(state.kernel().points(), variance_);
  }
}

bool PoolSearch::include_best() {
  const bool at_random = state_.options().criterion == Criterion::random;
  for (int attempt = 0; attempt < kBarrenDraws; ++attempt) {
    if (!at_random || index_.empty()) refill();
    const Index count = static_cast<Index>(index_.size());
    if (count == 0) return false;
    Vector mean(count), variance(count);
    for (Index j = 0; j < count; ++j) {
      mean(j) = mean_(index_[j]);
      variance(j) = variance_(index_[j]);
    }
    scores_.resize(count);
    state_.scores(index_.data(), mean, variance, scores_);
    if (at_random)  // the order of drawing decides, among the rows that have a site at all
      for (Index j = 0; j < count; ++j)
        if (std::isfinite(scores_(j))) scores_(j) = static_cast<double>(count - j);

    // The index sorted by score, the lowest row first among ties; winner first.
    Indices order(count);
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [this](Index a, Index b) {
      return scores_(a) > scores_(b) || (!(scores_(b) > scores_(a)) && index_[a] < index_[b]);
    });
    const Index winner = index_[order[0]];
    Inclusion inclusion;
    const bool found =
        std::isfinite(scores_(order[0])) &&
        state_.include(winner, Eigen::Map<const Vector>(column(winner), state_.size()),
                       mean_(winner), variance_(winner), inclusion);

    const double share = at_random ? 1.0 : found ? state_.options().retain : 0.0;
    const Index keep =
        std::min(count - 1, static_cast<Index>(share * static_cast<double>(state_.options().pool)));
    Indices survivors;
    survivors.reserve(state_.options().pool);
    for (const Index row : index_) in_index_[row] = 0;
    for (Index j = 1; j <= keep; ++j)
      if (std::isfinite(scores_(order[j]))) survivors.push_back(index_[order[j]]);
    index_.swap(survivors);
    for (const Index row : index_) in_index_[row] = 1;
    if (found) {
      append(inclusion);
      ctx_.check();
      return true;
    }
  }
  return false;
}

void PoolSearch::append(const Inclusion& inclusion) {
  const Index count = static_cast<Index>(index_.size());
  if (count == 0) return;
  const Index k = state_.size() - 1;  // rows of M before this inclusion
  Matrix row(1, count);
  state_.kernel().block(&inclusion.row, 1, index_.data(), count, row);
  Vector explained(count);
  dot_gathered(k, count, column(inclusion.row), columns_.get(), ld_, index_.data(),
               explained.data());
  for (Index j = 0; j < count; ++j) {
    const Index candidate = index_[j];
    const double mu = inclusion.ratio * (row(0, j) - explained(j));
    column(candidate)[k] = mu;
    have_[candidate] = k + 1;
    variance_(candidate) = std::max(0.0, variance_(candidate) - mu * mu);
    mean_(candidate) += inclusion.gain * mu;
  }
}

void PoolSearch::refill() {
  const Index n = state_.kernel().size();
  const Index rest = n - state_.size() - static_cast<Index>(index_.size());
  Index wanted = state_.options().pool - static_cast<Index>(index_.size());
  if (state_.options().criterion == Criterion::random)  // no more than will be used
    wanted = std::min(wanted, state_.options().n_active - state_.size());
  Indices fresh;
  draw(std::min(wanted, rest), fresh);
  if (fresh.empty()) return;
  for (const Index row : fresh) {
    in_index_[row] = 1;
    index_.push_back(row);
  }
  bring_up_to_date(fresh);
}

void PoolSearch::draw(Index count, Indices& fresh) {
  fresh.clear();
  if (count <= 0) return;
  const Index n = state_.kernel().size();
  const Index rest = n - state_.size() - static_cast<Index>(index_.size());
  const auto available = [this](Index row) { return !in_index_[row] && !state_.included(row); };
  if (2 * (n - rest + count) < n) {  // rejection accepts more than half of its proposals
    fresh.reserve(count);
    while (static_cast<Index>(fresh.size()) < count) {
      const Index row = rng_.below(n);
      if (!available(row)) continue;
      fresh.push_back(row);
      in_index_[row] = 1;
    }
    return;
  }
  for (Index row = 0; row < n; ++row)
    if (available(row)) fresh.push_back(row);
  rng_.shuffle_front(fresh, count);
  fresh.resize(count);
}

void PoolSearch::bring_up_to_date(Indices& fresh) {
  const Index k = state_.size(), count = static_cast<Index>(fresh.size());
  if (k == 0) return;
  // Columns that own fewer rows come first: block after block more of them join at the end.
  std::sort(fresh.begin(), fresh.end(), [this](Index a, Index b) {
    return have_[a] < have_[b] || (have_[a] == have_[b] && a < b);
  });
  const Index first = have_[fresh.front()];
  if (first == k) return;

  Matrix work(k, count);  // finished rows of the fresh columns, side by side
  for (Index j = 0; j < count; ++j)
    work.col(j).head(have_[fresh[j]]) = Eigen::Map<const Vector>(column(fresh[j]), have_[fresh[j]]);

  const auto factor = state_.factor();
  Index joined = 0;
  Matrix kernel_block;
  for (Index begin = first - first % kRowBlock; begin < k; begin += kRowBlock) {
    const Index rows = std::min(kRowBlock, k - begin);
    while (joined < count && have_[fresh[joined]] < begin + rows) ++joined;
    kernel_block.resize(rows, joined);
    state_.kernel().block(state_.active().data() + begin, rows, fresh.data(), joined, kernel_block);
    kernel_block.array().colwise() *= state_.root_precision().segment(begin, rows).array();
    auto block = work.block(begin, 0, rows, joined);
    block = kernel_block;
    gemm(-1.0, factor.block(begin, 0, rows, begin), Op::plain, work.topLeftCorner(begin, joined),
         Op::plain, 1.0, block, threads_);
    trsm(Side::left, Triangle::lower, Op::plain, factor.block(begin, begin, rows, rows), block,
         threads_);
  }

  for (Index j = 0; j < count; ++j) {
    const Index row = fresh[j], have = have_[row], missing = k - have;
    const auto added = work.col(j).segment(have, missing);
    Eigen::Map<Vector>(column(row) + have, missing) = added;
    variance_(row) = std::max(0.0, variance_(row) - added.squaredNorm());
    mean_(row) += state_.gain().segment(have, missing).dot(added);
    have_[row] = k;
  }
}

}  // namespace gpsieve
