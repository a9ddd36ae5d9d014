// Loops over the points of a data set in blocks, each point costing about m^2 multiply-adds:
// threads inside, chances to interrupt between.
#ifndef GPSIEVE_KERNEL_POINT_BLOCKS_H
#define GPSIEVE_KERNEL_POINT_BLOCKS_H

#include <algorithm>

#include "base/context.h"
#include "base/parallel.h"

namespace gpsieve {

constexpr Index kPointsPerBlock = 256;  // one unit of threaded work; its block of K_uf is in cache
constexpr double kWorkPerPoll = 1e9;    // multiply-adds per thread between two polls

// Blocks between two polls.
inline Index blocks_per_poll(Index m) {
  const double block = static_cast<double>(kPointsPerBlock) * static_cast<double>(m * m + 1);
  return static_cast<Index>(std::clamp(kWorkPerPoll / block, 1.0, 64.0));
}

template <class Body>
void for_point_blocks(Index n, Index m, int threads, const Context& ctx, const Body& body) {
  const Index stride = kPointsPerBlock * blocks_per_poll(m) * std::max(1, threads);
  for (Index begin = 0; begin < n; begin += stride) {
    parallel_blocks(threads, std::min(stride, n - begin), kPointsPerBlock,
                    [&](Index from, Index to) { body(begin + from, begin + to); });
    ctx.check();
  }
}

}  // namespace gpsieve

#endif
