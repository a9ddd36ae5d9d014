// The columns of M that a randomised search touches, each brought up to date only when asked for.
//
// A column remembers how many rows of M it owns and resumes there, so nothing is computed twice and
// the work of a whole selection is at most n d^2 multiply-adds, nearly all of it in products of
// blocks.
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
  // Takes over the columns of a full search, or starts from the prior where `start` is null.
  DelayedColumns(const IvmState& state, FullSearch* start, int threads);

  // Of an up-to-date row: its column of M, variance a and mean h.
  Vector column(Index row) const;
  double mean(Index row) const { return mean_(row); }
  double variance(Index row) const { return variance_(row); }

  // Section 3: the new row of M for columns that own all earlier ones.
  void append(const Inclusion& inclusion, const Indices& rows);
  // Section 5: all rows of M that these columns lack.
  void bring_up_to_date(const Indices& rows);

 private:
  // What one thread needs to bring its share of the columns up to date.
  struct Workspace {
    Matrix rows;         // finished rows of the columns, side by side
    PackedPanel packed;  // the same, packed as they are finished for the products below them
    Matrix block;
  };
  // Some consecutive active points as every share needs them.
  struct ActiveBlock {
    std::unique_ptr<SelectedPoints> points;
    PackedRows factor;  // their rows of L, left of the diagonal block
  };
  ActiveBlock active_block(Index begin, Index rows) const;
  void bring_up_to_date(Indices& share, const ActiveBlock& last, Workspace& work);
  double* at(Index row) const { return columns_.get() + row * ld_; }

  const IvmState& state_;
  int threads_;
  Index ld_;                           // capacity of a column: n_active
  std::unique_ptr<double[]> columns_;  // a column per point; pages are committed when written
  std::vector<Index> have_;            // rows of M that a column owns
  Vector mean_, variance_;
  std::vector<ActiveBlock> blocks_;  // those that are complete
  std::vector<Workspace> workspaces_;
};

}  // namespace gpsieve

#endif
