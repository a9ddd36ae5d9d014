#include "sparse_ep/whitened_rows.h"

#include <algorithm>

#include "linalg/blocked.h"

namespace gpsieve {
namespace {

constexpr Index kChunkDoubles = Index{1} << 20;  // of v in a chunk: 8 MB
constexpr Index kKeptDoubles = Index{1} << 25;   // of v in all chunks that are kept: 256 MB

bool held_together(const RowSource& source, const RowSet& rows) {
  if (rows.size == 0) return true;
  const auto [first, last] = rows.ends();
  return source.holds_together(first, last - first + 1);
}

}  // namespace

Index rows_per_chunk(Index m) {
  const Index blocks = kChunkDoubles / (std::max<Index>(1, m) * kPointsPerBlock);
  return kPointsPerBlock * std::max<Index>(1, blocks);
}

WhitenedRows::WhitenedRows(const Inducing& inducing, RowSource& source, RowSet rows)
    : inducing_(inducing),
      source_(source),
      rows_(rows),
      chunk_size_(rows_per_chunk(inducing.size())),
      chunks_((rows.size + chunk_size_ - 1) / chunk_size_),
      keep_(rows.size * inducing.size() <= kKeptDoubles && held_together(source, rows)),
      keep_blocks_(keep_ && chunks_ == 1 && inducing.for_gradients()),
      kept_(keep_ ? chunks_ : 1) {}

WhitenedRows::WhitenedRows(const Inducing& inducing, Points x, RowSet rows)
    : WhitenedRows(inducing, std::make_unique<MemoryRows>(x), rows) {}

WhitenedRows::WhitenedRows(const Inducing& inducing, std::unique_ptr<RowSource> own, RowSet rows)
    : WhitenedRows(inducing, *own, rows) {
  own_ = std::move(own);
}

// Minibatches are few rows: blocks of half as many, a quarter and so on, but not less than 64.
Index WhitenedRows::block_of(Index rows) {
  constexpr Index kLeast = 64, kMostBlocks = 8;
  if (rows > kMostBlocks * kPointsPerBlock / 2) return kPointsPerBlock;
  Index parts = 1;
  while (parts < kMostBlocks && rows >= 2 * parts * kLeast) parts *= 2;
  return std::max<Index>(1, (rows + parts - 1) / parts);
}

const WhitenedRows::Chunk& WhitenedRows::chunk(Index c, const Context& ctx, const Visit& visit) {
  Chunk& chunk = kept_[keep_ ? c : 0];
  const bool known = keep_ && chunk.v.size() > 0;
  if (known && !visit.visit) return chunk;
  if (!known) start(chunk, c);
  const Eigen::Ref<const Matrix> x = points(chunk);
  const double m = static_cast<double>(inducing_.size());
  const double whitening = m * (0.5 * m + static_cast<double>(inducing_.inputs().rows()));
  const double work = (known ? 0.0 : whitening) + visit.work;
  const int threads = useful_threads(inducing_.kernel().usable_threads(ctx.threads),
                                     work * static_cast<double>(chunk.size));
  const Index stride = chunk.block * blocks_per_poll(inducing_.size()) * threads;
  for (Index first = 0; first < chunk.size; first += stride) {
    parallel_blocks(threads, std::min(stride, chunk.size - first), chunk.block,
                    [&](Index from, Index to) {
                      if (!known) compute(chunk, x, first + from, to - from);
                      if (visit.visit) visit.visit(chunk, first + from, to - from);
                    });
    ctx.check();
  }
  return chunk;
}

Eigen::Ref<const Matrix> WhitenedRows::points(const Chunk& chunk) {
  if (rows_.index) return chunk.gathered;
  return source_.inputs(rows_.begin + chunk.begin, chunk.size);
}

void WhitenedRows::gather(Chunk& chunk) {
  const RowSet part = rows_.part(chunk.begin, chunk.size);
  const auto [first, last] = part.ends();
  const Eigen::Ref<const Matrix> x = source_.inputs(first, last - first + 1);
  chunk.gathered.resize(x.rows(), chunk.size);
  for (Index i = 0; i < chunk.size; ++i) chunk.gathered.col(i) = x.col(part[i] - first);
}

void WhitenedRows::start(Chunk& chunk, Index c) {
  chunk.begin = c * chunk_size_;
  chunk.size = std::min(chunk_size_, rows_.size - chunk.begin);
  chunk.block = chunks_ == 1 ? block_of(chunk.size) : kPointsPerBlock;
  if (rows_.index) gather(chunk);
  chunk.v.resize(inducing_.size(), chunk.size);
  chunk.s.resize(chunk.size);
  if (keep_blocks_) chunk.blocks.resize((chunk.size + chunk.block - 1) / chunk.block);
}

void WhitenedRows::compute(Chunk& chunk, Points x, Index begin, Index count) const {
  const auto points = x.middleCols(begin, count);
  const auto v = chunk.v.middleCols(begin, count);
  const auto s = chunk.s.segment(begin, count);
  if (keep_blocks_)
    chunk.blocks[begin / chunk.block] = inducing_.whiten_for_gradients(points, v, s);
  else
    inducing_.whiten(points, v, s);
}

}  // namespace gpsieve
