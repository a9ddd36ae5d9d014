// Loops over the points of a data set in blocks: threads inside, chances to interrupt between.
#ifndef GPSIEVE_APPROX_POINT_BLOCKS_H
#define GPSIEVE_APPROX_POINT_BLOCKS_H

#include <algorithm>

#include "base/context.h"
#include "base/parallel.h"

namespace gpsieve {

constexpr Index kPointsPerBlock =
    256;                             // one unit of threaded work; its block of K_uf stays in cache
constexpr Index kBlocksPerPoll = 8;  // units per thread between two polls

template <class Body>
void for_point_blocks(Index n, int threads, const Context& ctx, const Body& body) {
  const Index stride = kPointsPerBlock * kBlocksPerPoll * std::max(1, threads);
  for (Index begin = 0; begin < n; begin += stride) {
    parallel_blocks(threads, std::min(stride, n - begin), kPointsPerBlock,
                    [&](Index from, Index to) { body(begin + from, begin + to); });
    ctx.check();
  }
}

}  // namespace gpsieve

#endif
