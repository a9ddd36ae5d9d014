#include "sparse_ep/whitened_rows.h"

#include <algorithm>

#include "kernel/point_blocks.h"

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

const WhitenedRows::Chunk& WhitenedRows::chunk(Index c, const Context& ctx) {
  Chunk& chunk = kept_[keep_ ? c : 0];
  if (!keep_ || chunk.v.size() == 0) compute(chunk, c, ctx);
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

void WhitenedRows::compute(Chunk& chunk, Index c, const Context& ctx) {
  chunk.begin = c * chunk_size_;
  chunk.size = std::min(chunk_size_, rows_.size - chunk.begin);
  if (rows_.index) gather(chunk);
  const Eigen::Ref<const Matrix> x = points(chunk);
  chunk.v.resize(inducing_.size(), chunk.size);
  chunk.s.resize(chunk.size);
  if (keep_blocks_) chunk.blocks.resize((chunk.size + kPointsPerBlock - 1) / kPointsPerBlock);
  const int threads = inducing_.kernel().usable_threads(ctx.threads);
  for_point_blocks(chunk.size, inducing_.size(), threads, ctx, [&](Index begin, Index end) {
    const auto points = x.middleCols(begin, end - begin);
    const auto v = chunk.v.middleCols(begin, end - begin);
    const auto s = chunk.s.segment(begin, end - begin);
    if (keep_blocks_)
      chunk.blocks[begin / kPointsPerBlock] = inducing_.whiten_for_gradients(points, v, s);
    else
      inducing_.whiten(points, v, s);
  });
}

}  // namespace gpsieve
