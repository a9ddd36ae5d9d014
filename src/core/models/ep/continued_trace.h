// The trace of a fit that may have been stopped and continued: the rows from before the break come
// first, and the clock goes on from the last of them.
#ifndef GPSIEVE_MODELS_EP_CONTINUED_TRACE_H
#define GPSIEVE_MODELS_EP_CONTINUED_TRACE_H

#include <vector>

#include "base/archive.h"
#include "models/trace.h"

namespace gpsieve {

class ContinuedTrace {
 public:
  explicit ContinuedTrace(const Trace& trace) : trace_(trace) {}

  bool due(Index iteration) const { return trace_.due(iteration); }
  void record(const TraceRow& row) { trace_.record(row); }
  std::vector<TraceRow> rows() const {
    std::vector<TraceRow> all = earlier_;
    const double before = earlier_.empty() ? 0.0 : earlier_.back().seconds;
    for (TraceRow row : trace_.rows()) {
      row.seconds += before;
      all.push_back(row);
    }
    return all;
  }
  void visit(Archive& archive) {
    std::vector<Row> all;
    for (const TraceRow& row : rows()) all.push_back({row});
    archive.visit(all);
    if (archive.reading()) earlier_.assign(all.begin(), all.end());
  }

 private:
  struct Row : TraceRow {
    void visit(Archive& archive) {
      archive.visit(iteration);
      for (double* each : {&objective, &validation, &lower, &seconds}) archive.visit(*each);
      archive.visit(size);
    }
  };

  Trace trace_;
  std::vector<TraceRow> earlier_;
};

}  // namespace gpsieve

#endif
