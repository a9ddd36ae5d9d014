#include "models/ivm/full_search.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/large_pages.h"
#include "base/parallel.h"
#include "linalg/products.h"

namespace gpsieve {

FullSearch::FullSearch(IvmState& state, Index max_rows, ColumnCache* cache, const Context& ctx)
    : state_(state), cache_(cache), ctx_(ctx) {
  const Index n = state.kernel().size();
  all_.resize(n);
  std::iota(all_.begin(), all_.end(), Index{0});
  mean_ = Vector::Zero(n);
  variance_ = state.prior_variance();
  scores_.resize(n);
  for (Index begin = 0; begin < n; begin += kPanel)
    panels_.push_back(large_matrix(std::min(kPanel, n - begin), max_rows));
  for_each_panel([this](Index p) { score_panel(p); });
}

template <class Body>
void FullSearch::for_each_panel(const Body& body, Index panels_per_poll) {
  const Index count = static_cast<Index>(panels_.size());
  for (Index begin = 0; begin < count; begin += panels_per_poll) {
    parallel_blocks(threads(), std::min(panels_per_poll, count - begin), 1,
                    [&](Index p, Index) { body(begin + p); });
    ctx_.check();
  }
}

void FullSearch::score_panel(Index p) {
  const Index begin = p * kPanel, rows = panels_[p].rows();
  state_.scores(all_.data() + begin, mean_.segment(begin, rows), variance_.segment(begin, rows),
                scores_.segment(begin, rows));
}

bool FullSearch::include_best() {
  Index best = -1;
  double best_score = -std::numeric_limits<double>::infinity();
  for (Index j = 0; j < scores_.size(); ++j)  // ties go to the lowest row
    if (scores_(j) > best_score && !state_.included(j)) {
      best = j;
      best_score = scores_(j);
    }
  return best >= 0 && include_row(best);
}

bool FullSearch::include_row(Index row) {
  const Vector column = panels_[row / kPanel].row(row % kPanel).head(state_.size()).transpose();
  Inclusion inclusion;
  if (!state_.include(row, column, mean_(row), variance_(row), inclusion)) return false;
  append(inclusion, column);
  return true;
}

void FullSearch::append(const Inclusion& inclusion, const Vector& column) {
  const Index k = column.size();
  const auto cached = cache_ ? cache_->column(inclusion.row) : nullptr;
  for_each_panel([&](Index p) {
    Matrix& panel = panels_[p];
    const Index begin = p * kPanel, rows = panel.rows();
    auto mu = panel.col(k);
    if (cached)
      mu = cached->segment(begin, rows);
    else
      state_.kernel().column(inclusion.row, begin, mu);
    gemv(-1.0, panel.leftCols(k), Op::plain, column, 1.0, mu);
    mu *= inclusion.ratio;
    auto variance = variance_.segment(begin, rows);
    variance = (variance - mu.cwiseAbs2()).cwiseMax(0.0);
    mean_.segment(begin, rows) += inclusion.gain * mu;
    score_panel(p);
  });
}

void FullSearch::move_columns_to(double* columns, Index ld) {
  const Index k = state_.size();
  auto move_panel = [&](Index p) {
    Matrix& panel = panels_[p];
    Eigen::Map<Matrix, 0, Eigen::OuterStride<>> target(columns + p * kPanel * ld, k, panel.rows(),
                                                       Eigen::OuterStride<>(ld));
    target = panel.leftCols(k).transpose();
    Matrix().swap(panel);
  };
  for_each_panel(move_panel, kMovesPerPoll * threads());
}

}  // namespace gpsieve
