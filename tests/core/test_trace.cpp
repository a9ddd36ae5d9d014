#include "check.h"
#include "models/trace.h"

using namespace gpsieve;

TEST(trace_of_many_iterations_keeps_evenly_spaced_ones_and_the_last) {
  const Trace trace(1003, 50);
  Index due = 0;
  for (Index i = 1; i <= 1003; ++i) due += trace.due(i);
  CHECK(due <= 50);
  CHECK(trace.due(21) && !trace.due(22) && trace.due(1003));
  const Trace few(7, 50), unknown;
  for (Index i = 1; i <= 7; ++i) CHECK(few.due(i) && unknown.due(i));
}

TEST(trace_replaces_the_row_of_the_iteration_that_it_records_again) {
  Trace trace;
  trace.record({1, -2.0, 1});
  trace.record({2, -1.5, 2});
  trace.record_final({2, -1.0, 2});
  CHECK(trace.rows().size() == 2 && trace.rows()[1].objective == -1.0);
  CHECK(trace.rows()[0].seconds <= trace.rows()[1].seconds);
  trace.record_final({3, -0.5, 3});
  CHECK(trace.rows().size() == 3);
}

TEST(thinned_trace_keeps_the_head_and_the_last_row) {
  Trace trace;
  for (Index i = 0; i < 1000; ++i) trace.record({i, 0.0, i});
  CHECK(trace.thinned(60, 1000).size() == 1000);
  const std::vector<TraceRow> rows = trace.thinned(60, 300);
  CHECK(rows.size() == 300);
  CHECK(rows.front().iteration == 0 && rows[59].iteration == 59 && rows.back().iteration == 999);
  for (std::size_t i = 1; i < rows.size(); ++i) CHECK(rows[i - 1].iteration < rows[i].iteration);
}
