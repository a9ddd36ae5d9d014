#include "models/trace.h"

#include <algorithm>

namespace gpsieve {

Trace::Trace(Index iterations, Index rows)
    : every_(std::max<Index>(1, (iterations + rows - 1) / rows)), last_(iterations) {}

void Trace::record(TraceRow row) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  row.seconds = elapsed.count();
  rows_.push_back(row);
}

void Trace::record_final(const TraceRow& row) {
  if (!rows_.empty() && rows_.back().iteration == row.iteration) rows_.pop_back();
  record(row);
}

std::vector<TraceRow> Trace::thinned(std::size_t head, std::size_t most) const {
  if (rows_.size() <= most) return rows_;
  std::vector<TraceRow> out(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(head));
  const std::size_t rest = rows_.size() - head, kept = most - head;
  for (std::size_t i = 1; i <= kept; ++i) out.push_back(rows_[head + i * rest / kept - 1]);
  return out;
}

}  // namespace gpsieve
