#include "linalg/strips.h"

#include <algorithm>

#include "base/parallel.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace {

// Multiply-adds per thread between two polls: less than 0.1 s on the slowest instruction set.
constexpr double kWorkPerPoll = 5e8;

// body(first, last) for consecutive strips of 0..n-1; one strip where nobody polls.
template <class Body>
void in_strips(Index n, double work_per_row, int threads, const Poll& poll, const Body& body) {
  Index strip = n;
  if (poll) {
    const double rows = kWorkPerPoll * std::max(1, threads) / std::max(1.0, work_per_row);
    strip = std::max(kDiagonal, static_cast<Index>(std::min(rows, static_cast<double>(n))));
  }
  for (Index first = 0; first < n; first += strip) {
    body(first, std::min(n, first + strip));
    if (poll) poll();
  }
}

using RowsRoutine = void (*)(Index, Index, Shape, const ConstView&, const View&);

void triangular_strips(RowsRoutine routine, Index rows, Index n, Shape shape, const ConstView& u,
                       const View& z, int threads, const Poll& poll) {
  const double work_per_row = 0.5 * volume(n, n, 1);
  in_strips(rows, work_per_row, threads, poll, [&](Index begin, Index end) {
    const Index count = end - begin;
    const int workers = useful_threads(threads, work_per_row * static_cast<double>(count));
    parallel_blocks(workers, count, share(count, workers, kernels().mr),
                    [&](Index first, Index last) {
                      routine(last - first, n, shape, u, z.from(begin + first, 0));
                    });
  });
}

}  // namespace

void solve_strips(Index rows, Index n, Shape shape, const ConstView& u, const View& z, int threads,
                  const Poll& poll) {
  triangular_strips(solve_rows, rows, n, shape, u, z, threads, poll);
}

void multiply_strips(Index rows, Index n, Shape shape, const ConstView& u, const View& z,
                     int threads, const Poll& poll) {
  triangular_strips(multiply_rows, rows, n, shape, u, z, threads, poll);
}

void multiply_lower_strips(Index n, Index k, double alpha, const ConstView& a, const ConstView& b,
                           const View& c, int threads, const Poll& poll) {
  in_strips(n, volume(1, n, k), threads, poll, [&](Index first, Index last) {
    const Index rows = last - first;
    if (first > 0)
      multiply({rows, first, k, alpha, a.from(first, 0), b, 1.0, c.from(first, 0)}, Part::all,
               threads);
    multiply({rows, rows, k, alpha, a.from(first, 0), b.from(0, first), 1.0, c.from(first, first)},
             Part::lower, threads);
  });
}

}  // namespace gpsieve
