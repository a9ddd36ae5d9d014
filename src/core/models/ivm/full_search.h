// Greedy inclusion with every row of the data kept up to date: one pass over M per inclusion.
#ifndef GPSIEVE_MODELS_IVM_FULL_SEARCH_H
#define GPSIEVE_MODELS_IVM_FULL_SEARCH_H

#include <vector>

#include "base/context.h"
#include "models/ivm/column_cache.h"
#include "models/ivm/state.h"

namespace gpsieve {

// M is kept in panels of consecutive points, row of M by row of M, so that appending a row is a
// plain matrix-vector product that streams through memory once.
class FullSearch {
 public:
  // Room for max_rows rows of M. `cache` may be null.
  FullSearch(IvmState& state, Index max_rows, ColumnCache* cache, const Context& ctx);

  // Includes the row with the best score, or the given one; false if its site would be empty.
  bool include_best();
  bool include_row(Index row);

  const Vector& mean() const { return mean_; }
  const Vector& variance() const { return variance_; }

  // Moves the columns of M to `columns` (leading dimension ld), freeing panels as it goes.
  void hand_over(double* columns, Index ld);

 private:
  static constexpr Index kPanel = 2048;        // points per panel: 16 KB per row of M
  static constexpr Index kPanelsPerPoll = 64;  // about 130,000 points between two polls

  void append(const Inclusion& inclusion, const Vector& column_of_row);
  void score_panel(Index panel);
  template <class Body>
  void for_each_panel(const Body& body);

  IvmState& state_;
  ColumnCache* cache_;
  const Context& ctx_;
  Indices all_;
  std::vector<Matrix> panels_;  // points x rows of M
  Vector mean_, variance_, scores_;
};

}  // namespace gpsieve

#endif
