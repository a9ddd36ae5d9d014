// The history of a fit: its objective and its size after each recorded iteration.
#ifndef GPSIEVE_MODELS_TRACE_H
#define GPSIEVE_MODELS_TRACE_H

#include <chrono>
#include <limits>
#include <vector>

#include "base/types.h"

namespace gpsieve {

struct TraceRow {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  Index iteration;
  double objective;
  Index size;                     // of the active set, the basis or the set of inducing inputs
  double validation = kUnknown;   // mean negative log predictive density of held-out rows
  double lower = kUnknown;        // the best lower bound on the optimum of the objective
  double information = kUnknown;  // nats by which the row included last reduced the entropy
  double seconds = 0.0;           // wall clock since the trace was made; set by record()
};

class Trace {
 public:
  // Every iteration is due.
  Trace() = default;
  // At most `rows` of so many iterations are due, evenly spaced, and the last one.
  Trace(Index iterations, Index rows);

  bool due(Index iteration) const { return iteration % every_ == 0 || iteration == last_; }
  void record(TraceRow row);
  // Replaces the last row if that belongs to the same iteration.
  void record_final(const TraceRow& row);

  const std::vector<TraceRow>& rows() const { return rows_; }
  // At most `most` rows: the first `head` ones, and the others evenly thinned.
  std::vector<TraceRow> thinned(std::size_t head, std::size_t most) const;

 private:
  Index every_ = 1, last_ = -1;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<TraceRow> rows_;
};

}  // namespace gpsieve

#endif
