// The columns of M that a randomised search needs. The rows of M that a column lacks are computed
// when the search asks for them (theory.md#randomised-search-with-delayed-updates).
#ifndef GPSIEVE_MODELS_IVM_DELAYED_COLUMNS_H
#define GPSIEVE_MODELS_IVM_DELAYED_COLUMNS_H

#include <memory>
#include <vector>

#include "linalg/packed_panel.h"
#include "models/ivm/full_search.h"
#include "models/ivm/state.h"

namespace gpsieve {

class DelayedColumns {
 public:
  // Takes the columns from a full search, or starts from the prior if `start` is null.
  DelayedColumns(const IvmState& state, FullSearch* start, int threads);

  // Column of M, mean h and variance a of a row that has been brought up to date.
  Vector column(Index row) const { return part(row, 0, have_[row]); }
  double mean(Index row) const { return mean_(row); }
  double variance(Index row) const { return variance_(row); }

  // After an inclusion: the new row of M, theory.md (7), for columns that have all earlier rows.
  void append(const Inclusion& inclusion, const Indices& rows);
  // The rows of M that these columns lack: theory.md (12).
  void bring_up_to_date(const Indices& rows);

 private:
  // Memory of one thread.
  struct Workspace {
    GrowingPanel packed;  // rows of M that are finished, for the thread's columns
    Matrix block;         // the rows that are being computed
    Matrix first;         // rows that a column has of the block in which it joins
  };
  // Consecutive active points, in the form that all threads use.
  struct ActiveBlock {
    std::unique_ptr<SelectedPoints> points;
    PackedRows factor;  // their rows of L, without the diagonal block
  };
  ActiveBlock active_block(Index begin, Index rows) const;
  void bring_up_to_date(const Indices& share, const ActiveBlock& last, Workspace& work);

  double* at(Index row) const { return columns_.get() + row * ld_; }
  Eigen::Map<Vector> part(Index row, Index begin, Index count) const {
    return {at(row) + begin, count};
  }

  const IvmState& state_;
  int threads_;
  Vector mean_, variance_;
  Index ld_;                           // room for rows of M in a column: n_active
  std::unique_ptr<double[]> columns_;  // one per row; the system provides pages when written to
  std::vector<Index> have_;            // how many rows of M a column has
  std::vector<ActiveBlock> blocks_;    // of kRowBlock active points each
  std::vector<Workspace> workspaces_;
};

}  // namespace gpsieve

#endif
