// The columns of M that a randomised search needs. The rows of M that a column lacks are computed
// when the search asks for them (theory.md#randomised-search-with-delayed-updates).
#ifndef GPSIEVE_MODELS_IVM_DELAYED_COLUMNS_H
#define GPSIEVE_MODELS_IVM_DELAYED_COLUMNS_H

#include <memory>
#include <vector>

#include "models/ivm/full_search.h"
#include "models/ivm/state.h"

namespace gpsieve {

class DelayedColumns {
 public:
  virtual ~DelayedColumns() = default;

  // Column of M, mean h and variance a of a row that has been brought up to date.
  virtual Vector column(Index row) const = 0;
  double mean(Index row) const { return mean_(row); }
  double variance(Index row) const { return variance_(row); }

  // After an inclusion: the new row of M, theory.md (7), for columns that have all earlier rows.
  virtual void append(const Inclusion& inclusion, const Indices& rows) = 0;
  // The rows of M that these columns lack: theory.md (12).
  virtual void bring_up_to_date(const Indices& rows) = 0;

 protected:
  DelayedColumns(Vector mean, Vector variance)
      : mean_(std::move(mean)), variance_(std::move(variance)) {}

  Vector mean_, variance_;
};

// Takes the columns from a full search, or starts from the prior if `start` is null. The precision
// of their numbers is an option of the state: theory.md#single-precision.
std::unique_ptr<DelayedColumns> make_delayed_columns(const IvmState& state, FullSearch* start,
                                                     int threads);

}  // namespace gpsieve

#endif
