#include "models/ivm/delayed_columns.h"

#include <algorithm>
#include <utility>

#include "base/large_pages.h"
#include "base/parallel.h"
#include "linalg/products.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace {

// Rows of M that are computed together. A column joins at the block that contains its first missing
// row: larger blocks compute more rows again, smaller ones make the matrix products less efficient.
// 48 is a multiple of the register tiles of all instruction sets.
constexpr Index kRowBlock = 48;
constexpr Index kColumnsPerTask = 64;  // elements of an appended row that one task computes

}  // namespace

DelayedColumns::DelayedColumns(const IvmState& state, FullSearch* start, int threads)
    : state_(state),
      threads_(state.kernel().kernel().usable_threads(threads)),
      mean_(start ? start->mean() : Vector::Zero(state.kernel().size())),
      variance_(start ? start->variance() : state.prior_variance()),
      ld_(state.options().n_active),
      columns_(new double[static_cast<std::size_t>(ld_) * state.kernel().size()]),
      have_(state.kernel().size(), state.size()),
      workspaces_(threads_) {
  if (!start) return;
  // All columns are written now, so that large pages take hardly more memory than small ones.
  request_large_pages(columns_.get(),
                      sizeof(double) * static_cast<std::size_t>(ld_) * have_.size());
  start->move_columns_to(columns_.get(), ld_);
}

void DelayedColumns::append(const Inclusion& inclusion, const Indices& rows) {
  const Index k = state_.size() - 1;  // rows of M before this inclusion
  const Index count = static_cast<Index>(rows.size());
  parallel_blocks(threads_, count, kColumnsPerTask, [&](Index begin, Index end) {
    const Index* mine = rows.data() + begin;
    Matrix kernel(1, end - begin);
    Vector explained(end - begin);
    state_.kernel().block(&inclusion.row, 1, mine, end - begin, kernel);
    kernels().gathered_dots(k, end - begin, at(inclusion.row), columns_.get(), ld_, mine,
                            explained.data());
    for (Index j = 0; j < end - begin; ++j) {
      const double mu = inclusion.ratio * (kernel(0, j) - explained(j));
      at(mine[j])[k] = mu;
      have_[mine[j]] = k + 1;
      variance_(mine[j]) = std::max(0.0, variance_(mine[j]) - mu * mu);
      mean_(mine[j]) += inclusion.gain * mu;
    }
  });
}

DelayedColumns::ActiveBlock DelayedColumns::active_block(Index begin, Index rows) const {
  ActiveBlock block;
  block.points = state_.kernel().select(state_.active().data() + begin, rows);
  block.factor.pack(state_.factor().block(begin, 0, rows, begin), Op::plain);
  return block;
}

void DelayedColumns::bring_up_to_date(const Indices& rows) {
  const auto next = [this] { return static_cast<Index>(blocks_.size()) * kRowBlock; };
  while (next() + kRowBlock <= state_.size()) blocks_.push_back(active_block(next(), kRowBlock));
  const ActiveBlock last = active_block(next(), state_.size() - next());

  // Columns with fewer rows come first, so that later blocks add columns at the end.
  Indices sorted = rows;
  std::sort(sorted.begin(), sorted.end(), [this](Index a, Index b) {
    return have_[a] < have_[b] || (have_[a] == have_[b] && a < b);
  });
  // Columns go to the threads in turn, which gives every thread about the same work. New rows of a
  // column depend on no other column.
  parallel_blocks(threads_, threads_, 1, [&](Index thread, Index) {
    Indices share;
    for (std::size_t j = thread; j < sorted.size(); j += threads_) share.push_back(sorted[j]);
    bring_up_to_date(share, last, workspaces_[thread]);
  });
}

void DelayedColumns::bring_up_to_date(const Indices& share, const ActiveBlock& last,
                                      Workspace& work) {
  const Index k = state_.size(), count = static_cast<Index>(share.size());
  if (count == 0 || have_[share.front()] == k) return;
  const auto factor = state_.factor();
  const auto selected = state_.kernel().select(share.data(), count);
  work.packed.start(count, ld_);
  work.first.resize(kRowBlock, count);
  Index joined = 0;
  const Index first = have_[share.front()];
  for (Index begin = first - first % kRowBlock; begin < k; begin += kRowBlock) {
    const Index rows = std::min(kRowBlock, k - begin);
    for (; joined < count && have_[share[joined]] < begin + rows; ++joined) {
      const Index row = share[joined], present = have_[row] - begin;
      work.first.col(joined).head(present) = part(row, begin, present);
    }
    const ActiveBlock& active = rows == kRowBlock ? blocks_[begin / kRowBlock] : last;

    // theory.md (12)
    work.packed.append_gathered(columns_.get(), ld_, share.data(), begin);
    work.block.resize(rows, joined);
    selected->block(*active.points, work.block);
    work.block.array().colwise() *= state_.root_precision().segment(begin, rows).array();
    work.packed.multiply(-1.0, active.factor, 1.0, work.block);
    trsm(Side::left, Triangle::lower, Op::plain, factor.block(begin, begin, rows, rows),
         work.block);
    for (Index j = 0; j < joined; ++j) part(share[j], begin, rows) = work.block.col(j);
  }

  for (Index j = 0; j < count; ++j) {
    const Index row = share[j], have = have_[row], missing = k - have;
    if (missing == 0) continue;
    const Index present = have % kRowBlock;  // rows that were computed again
    part(row, have - present, present) = work.first.col(j).head(present);
    const auto added = part(row, have, missing);
    variance_(row) = std::max(0.0, variance_(row) - added.squaredNorm());
    mean_(row) += state_.gain().segment(have, missing).dot(added);
    have_[row] = k;
  }
}

}  // namespace gpsieve
