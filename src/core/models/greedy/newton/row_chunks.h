// Loops over the rows of the data in chunks of fixed size, which threads share, and sums over rows
// that are formed chunk by chunk and added in the order of the chunks. So they do not depend on the
// number of threads.
#ifndef GPSIEVE_MODELS_GREEDY_NEWTON_ROW_CHUNKS_H
#define GPSIEVE_MODELS_GREEDY_NEWTON_ROW_CHUNKS_H

#include <algorithm>

#include "base/context.h"
#include "base/parallel.h"
#include "linalg/blocked.h"

namespace gpsieve {

constexpr Index kChunkRows = 1024;

inline Index chunks_of(Index rows) { return (rows + kChunkRows - 1) / kChunkRows; }

// body(chunk, first row, rows) for all chunks of rows 0..n-1, each row costing so many
// multiply-adds.
template <class Body>
void for_row_chunks(Index n, double work_per_row, const Context& ctx, const Body& body) {
  constexpr double kWorkPerPoll = 5e8;  // of a thread
  const double chunk = static_cast<double>(kChunkRows) * std::max(1.0, work_per_row);
  const int threads = useful_threads(ctx.threads, static_cast<double>(n) * work_per_row);
  const Index together = threads * static_cast<Index>(std::max(1.0, kWorkPerPoll / chunk));
  for (Index first = 0; first < n; first += together * kChunkRows) {
    const Index rows = std::min(n - first, together * kChunkRows);
    parallel_blocks(threads, rows, kChunkRows, [&](Index from, Index to) {
      body((first + from) / kChunkRows, first + from, to - from);
    });
    ctx.check();
  }
}

// The sum of the columns, from the first one on.
inline Vector sum_in_order(MatrixIn columns) {
  Vector sum = Vector::Zero(columns.rows());
  for (Index j = 0; j < columns.cols(); ++j) sum += columns.col(j);
  return sum;
}

// Multiply-adds that cost as much as reading one element of a matrix from memory.
constexpr double kReadWork = 8.0;
// Those that cost as much as the derivatives of the log density of a row: some 60 ns.
constexpr double kLikelihoodWork = 2000.0;

}  // namespace gpsieve

#endif
