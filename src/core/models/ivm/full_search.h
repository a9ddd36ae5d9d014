// Greedy inclusion with scores of all rows (theory.md#search-over-all-rows).
#ifndef GPSIEVE_MODELS_IVM_FULL_SEARCH_H
#define GPSIEVE_MODELS_IVM_FULL_SEARCH_H

#include <vector>

#include "base/context.h"
#include "models/ivm/column_cache.h"
#include "models/ivm/state.h"

namespace gpsieve {

// M is stored in panels of consecutive rows of the data. Within a panel a row of M is contiguous,
// so that computing the next row is a matrix-vector product that reads the panel once, in order.
class FullSearch {
 public:
  // Room for max_rows rows of M. `cache` may be null.
  FullSearch(IvmState& state, Index max_rows, ColumnCache* cache, const Context& ctx);

  // Includes the row with the largest score, or the given one; false if its site would be uniform.
  bool include_best();
  bool include_row(Index row);

  const Vector& mean() const { return mean_; }
  const Vector& variance() const { return variance_; }

  // Moves the columns of M to `columns` (leading dimension ld) and frees the panels.
  void move_columns_to(double* columns, Index ld);

 private:
  static constexpr Index kPanel = 2048;        // rows of the data in a panel
  static constexpr Index kPanelsPerPoll = 64;  // panels between two checks for interrupts
  // Panels of each thread between two checks while columns move, which writes new memory.
  static constexpr Index kMovesPerPoll = 2;

  void append(const Inclusion& inclusion, const Vector& column_of_row);
  void score_panel(Index panel);
  int threads() const { return state_.kernel().kernel().usable_threads(ctx_.threads); }
  template <class Body>
  void for_each_panel(const Body& body, Index panels_per_poll = kPanelsPerPoll);

  IvmState& state_;
  ColumnCache* cache_;
  const Context& ctx_;
  Indices all_;
  std::vector<Matrix> panels_;  // rows of the data x rows of M
  Vector mean_, variance_, scores_;
};

}  // namespace gpsieve

#endif
