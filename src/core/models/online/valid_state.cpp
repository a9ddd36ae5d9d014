#include "models/online/valid_state.h"

#include <cmath>
#include <string>

#include "base/error.h"
#include "models/online/row_block.h"

namespace gpsieve {
namespace {

void require_square(const Matrix& m, Index size, const char* name) {
  if (m.rows() != size || m.cols() != size || !m.allFinite())
    throw InvalidSpec(std::string("the state's ") + name + " is damaged");
}

void require_vector(const Vector& v, Index size, const char* name) {
  if (v.size() != size || !v.allFinite())
    throw InvalidSpec(std::string("the state's ") + name + " is damaged");
}

void require_pending(const PendingRows& rows, Index basis) {
  const Index n = rows.signs.size(), included = rows.own.cols(), start = basis - included;
  const auto has = [](const auto& m, Index height, Index width) {
    return m.rows() == height && m.cols() == width && m.allFinite();
  };
  bool valid = false;
  if (n == 0)
    valid = rows.start.size() == 0 && rows.squares.size() == 0 && rows.own.size() == 0;
  else
    valid = basis > 0 && n < RowBlock::kRows && included <= n && start >= 0 &&
            has(rows.start, start * (start + 1) / 2, 1) && has(rows.squares, basis, n) &&
            has(rows.own, basis, included) && (rows.signs.array().abs() == 1.0).all() &&
            (rows.own.bottomRows(included).diagonal().array() > 0.0).all();
  if (!valid) throw InvalidSpec("the state's pending rows are damaged");
}

}  // namespace

void require_valid(const OnlineState& state, const OnlineOptions& options, Index points) {
  const Index size = static_cast<Index>(state.basis.size());
  const Index by_row = options.keeps_rows() ? size : 0, by_basis = size - by_row;
  const Index by_budget = options.bounded() ? size : 0;
  for (const Index i : state.basis)
    if (i < 0 || i >= points) throw InvalidSpec("the state refers to a point it does not have");
  if (options.bounded() && size > options.budget)
    throw InvalidSpec("the state has more basis points than the budget");
  require_vector(state.weights, size, "weights");
  require_square(state.form, size, "covariance");
  require_square(state.whitening, by_basis, "whitening");
  require_vector(state.mean, by_basis, "mean");
  require_square(state.precision, by_budget, "precision");
  require_vector(state.weight_variance, by_budget, "weight_variance");
  require_vector(state.stiffness, by_budget, "stiffness");
  require_vector(state.site_precision, by_row, "table of sites");
  require_vector(state.site_shift, by_row, "table of sites");
  require_pending(state.pending, by_basis);
  if (!std::isfinite(state.log_evidence) || state.since_refresh < 0 || state.refreshed < 0 ||
      state.refreshed > size)
    throw InvalidSpec("the state's counters are damaged");
}

}  // namespace gpsieve
