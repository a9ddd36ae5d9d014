#include "models/ivm/delayed_columns.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/large_pages.h"
#include "base/parallel.h"
#include "linalg/packed_panel.h"
#include "linalg/products.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace {

// Rows of M that are computed together. A column joins at the block that contains its first missing
// row: larger blocks compute more rows again, smaller ones make the matrix products less efficient.
// 48 is a multiple of the register tiles of all instruction sets.
constexpr Index kRowBlock = 48;
constexpr Index kColumnsPerTask = 64;  // elements of an appended row that one task computes

// A variance is at least this share of the prior one: smaller ones are lost in the rounding of the
// sum of squares that is subtracted. 0 would say that no observation changes the row.
constexpr double kLeastShare = 0x1p-22;

// The least variance of every row.
template <class Real>
Vector least_variances(const IvmState& state) {
  if constexpr (std::is_same_v<Real, double>)
    return Vector::Zero(state.kernel().size());
  else
    return kLeastShare * state.prior_variance();
}

template <class Real>
using VectorOf = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

// Columns whose numbers are Real. Everything else is double.
template <class Real>
class ColumnsOf final : public DelayedColumns {
 public:
  ColumnsOf(const IvmState& state, FullSearch* start, int threads);

  Vector column(Index row) const override { return part(row, 0, have_[row]); }
  void append(const Inclusion& inclusion, const Indices& rows) override;
  void bring_up_to_date(const Indices& rows) override;

 private:
  // Memory of one thread.
  struct Workspace {
    GrowingPanel<Real> packed;  // rows of M that are finished, for the thread's columns
    Matrix block;               // the rows that are being computed
    MatrixOf<Real> product;     // L_b,<b M_<b for them
    MatrixOf<Real> first;       // rows that a column has of the block in which it joins
  };
  // Consecutive active points, in the form that all threads use.
  struct ActiveBlock {
    std::unique_ptr<SelectedPoints> points;
    BasicPackedRows<Real> factor;  // their rows of L, without the diagonal block
  };
  ActiveBlock active_block(Index begin, Index rows) const;
  void bring_up_to_date(const Indices& share, const ActiveBlock& last, Workspace& work);
  // block -= L_b,<b M_<b
  void subtract_products(const ActiveBlock& active, Workspace& work) const;

  Real* at(Index row) const { return columns_.get() + row * ld_; }
  auto stored(Index row, Index begin, Index count) const {
    return Eigen::Map<VectorOf<Real>>(at(row) + begin, count);
  }
  auto part(Index row, Index begin, Index count) const {
    return stored(row, begin, count).template cast<double>();
  }

  const IvmState& state_;
  int threads_;
  Index ld_;                         // room for rows of M in a column: n_active
  std::unique_ptr<Real[]> columns_;  // one per row; the system provides pages when written to
  std::vector<Index> have_;          // how many rows of M a column has
  Vector least_;                     // variances
  std::vector<ActiveBlock> blocks_;  // of kRowBlock active points each
  std::vector<Workspace> workspaces_;
};

template <class Real>
ColumnsOf<Real>::ColumnsOf(const IvmState& state, FullSearch* start, int threads)
    : DelayedColumns(start ? start->mean() : Vector::Zero(state.kernel().size()),
                     start ? start->variance() : state.prior_variance()),
      state_(state),
      threads_(state.kernel().kernel().usable_threads(threads)),
      ld_(state.options().n_active),
      columns_(new Real[static_cast<std::size_t>(ld_) * state.kernel().size()]),
      have_(state.kernel().size(), state.size()),
      least_(least_variances<Real>(state)),
      workspaces_(threads_) {
  if (!start) return;
  // All columns are written now, so that large pages take hardly more memory than small ones.
  request_large_pages(columns_.get(), sizeof(Real) * static_cast<std::size_t>(ld_) * have_.size());
  start->move_columns_to(columns_.get(), ld_);
}

template <class Real>
void ColumnsOf<Real>::append(const Inclusion& inclusion, const Indices& rows) {
  const Index k = state_.size() - 1;  // rows of M before this inclusion
  const Index count = static_cast<Index>(rows.size());
  parallel_blocks(threads_, count, kColumnsPerTask, [&](Index begin, Index end) {
    const Index* mine = rows.data() + begin;
    Matrix kernel(1, end - begin);
    VectorOf<Real> explained(end - begin);
    state_.kernel().block(&inclusion.row, 1, mine, end - begin, kernel);
    product_loops<Real>().gathered_dots(k, end - begin, at(inclusion.row), columns_.get(), ld_,
                                        mine, explained.data());
    for (Index j = 0; j < end - begin; ++j) {
      const double mu = inclusion.ratio * (kernel(0, j) - static_cast<double>(explained(j)));
      at(mine[j])[k] = static_cast<Real>(mu);
      have_[mine[j]] = k + 1;
      variance_(mine[j]) = std::max(least_(mine[j]), variance_(mine[j]) - mu * mu);
      mean_(mine[j]) += inclusion.gain * mu;
    }
  });
}

template <class Real>
typename ColumnsOf<Real>::ActiveBlock ColumnsOf<Real>::active_block(Index begin, Index rows) const {
  ActiveBlock block;
  block.points = state_.kernel().select(state_.active().data() + begin, rows);
  block.factor.pack(state_.factor().block(begin, 0, rows, begin), Op::plain);
  return block;
}

template <class Real>
void ColumnsOf<Real>::bring_up_to_date(const Indices& rows) {
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

template <class Real>
void ColumnsOf<Real>::subtract_products(const ActiveBlock& active, Workspace& work) const {
  if constexpr (std::is_same_v<Real, double>) {
    work.packed.multiply(-1.0, active.factor, 1.0, work.block);
  } else {
    work.product.resize(work.block.rows(), work.block.cols());
    work.packed.multiply(Real{1}, active.factor, Real{0}, work.product);
    work.block -= work.product.template cast<double>();
  }
}

template <class Real>
void ColumnsOf<Real>::bring_up_to_date(const Indices& share, const ActiveBlock& last,
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
      work.first.col(joined).head(present) = stored(row, begin, present);
    }
    const ActiveBlock& active = rows == kRowBlock ? blocks_[begin / kRowBlock] : last;

    // theory.md (12)
    work.packed.append_gathered(columns_.get(), ld_, share.data(), begin);
    work.block.resize(rows, joined);
    selected->block(*active.points, work.block);
    work.block.array().colwise() *= state_.root_precision().segment(begin, rows).array();
    subtract_products(active, work);
    trsm(Side::left, Triangle::lower, Op::plain, factor.block(begin, begin, rows, rows),
         work.block);
    for (Index j = 0; j < joined; ++j)
      stored(share[j], begin, rows) = work.block.col(j).template cast<Real>();
  }

  for (Index j = 0; j < count; ++j) {
    const Index row = share[j], have = have_[row], missing = k - have;
    if (missing == 0) continue;
    const Index present = have % kRowBlock;  // rows that were computed again
    stored(row, have - present, present) = work.first.col(j).head(present);
    const auto added = part(row, have, missing);
    variance_(row) = std::max(least_(row), variance_(row) - added.squaredNorm());
    mean_(row) += state_.gain().segment(have, missing).dot(added);
    have_[row] = k;
  }
}

}  // namespace

std::unique_ptr<DelayedColumns> make_delayed_columns(const IvmState& state, FullSearch* start,
                                                     int threads) {
  if (state.options().precision == Precision::mixed)
    return std::make_unique<ColumnsOf<float>>(state, start, threads);
  return std::make_unique<ColumnsOf<double>>(state, start, threads);
}

}  // namespace gpsieve
