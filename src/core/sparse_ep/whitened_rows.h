// The rows of an update in whitened coordinates, computed in chunks of consecutive rows.
//
// All chunks are kept when they fit in a fixed amount of memory and their rows are held at the same
// time; otherwise each is computed anew whenever it is asked for, so that memory does not grow with
// the number of rows (theory.md#cost). Where gradients are wanted and there is one chunk, what they
// need of K_uf is kept as well.
#ifndef GPSIEVE_SPARSE_EP_WHITENED_ROWS_H
#define GPSIEVE_SPARSE_EP_WHITENED_ROWS_H

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/context.h"
#include "kernel/point_blocks.h"
#include "sparse_ep/inducing.h"
#include "sparse_ep/row_source.h"

namespace gpsieve {

// A set of rows: begin, ..., begin + size - 1, or the entries begin, ... of the list `index`.
struct RowSet {
  static RowSet range(Index begin, Index size) { return {begin, size, nullptr}; }
  static RowSet listed(const Indices& rows) {
    return {0, static_cast<Index>(rows.size()), rows.data()};
  }
  Index operator[](Index i) const { return index ? index[i] : begin + i; }
  // The first row and the last one, in the order of the data.
  std::pair<Index, Index> ends() const {
    if (!index) return {begin, begin + size - 1};
    const auto ends = std::minmax_element(index, index + size);
    return {*ends.first, *ends.second};
  }
  // `count` rows from position `from` on.
  RowSet part(Index from, Index count) const {
    return {begin + from, count, index ? index + from : nullptr};
  }

  Index begin, size;
  const Index* index;
};

// Rows in a chunk for m inducing inputs. Sums over rows are added chunk by chunk, so that the last
// bits depend on this number.
Index rows_per_chunk(Index m);

class WhitenedRows {
 public:
  // `source` or `x`, `inducing` and the list behind `rows` must outlive this object.
  WhitenedRows(const Inducing& inducing, RowSource& source, RowSet rows);
  WhitenedRows(const Inducing& inducing, Points x, RowSet rows);
  WhitenedRows(const WhitenedRows&) = delete;

  using Blocks = std::vector<std::unique_ptr<EvaluatedBlock>>;
  struct Chunk {
    Index begin, size;  // positions within the row set
    Matrix gathered;    // the inputs, where they are not contiguous in x
    Matrix v;           // columns v_i
    Vector s;           // residual variances s_i
    Index block;        // columns of v that one thread computes together
    // K_uf for every `block` columns of v; empty unless kept.
    Blocks blocks;
  };

  Index chunks() const { return chunks_; }
  // The reference is valid until the next call.
  const Chunk& chunk(Index c, const Context& ctx) { return chunk(c, ctx, {}); }
  // What to do with each block of columns as soon as they are known, in the thread that computes
  // them, and how many multiply-adds a column takes.
  struct Visit {
    std::function<void(const Chunk& chunk, Index begin, Index count)> visit;
    double work = 0.0;
  };
  const Chunk& chunk(Index c, const Context& ctx, const Visit& visit);
  // Are all rows a minibatch, whose few blocks can have sums of their own? How many blocks are
  // they?
  bool minibatch() const { return chunks_ == 1 && block_of(rows_.size) < kPointsPerBlock; }
  Index blocks() const { return (rows_.size + block_of(rows_.size) - 1) / block_of(rows_.size); }
  // The inputs of a chunk's rows.
  Eigen::Ref<const Matrix> points(const Chunk& chunk);

  const RowSet& rows() const { return rows_; }
  const Inducing& inducing() const { return inducing_; }

 private:
  WhitenedRows(const Inducing& inducing, std::unique_ptr<RowSource> own, RowSet rows);
  static Index block_of(Index rows);
  void start(Chunk& chunk, Index c);
  void compute(Chunk& chunk, Points x, Index begin, Index count) const;
  void gather(Chunk& chunk);

  const Inducing& inducing_;
  std::unique_ptr<RowSource> own_;  // of rows in memory that came without a source
  RowSource& source_;
  RowSet rows_;
  Index chunk_size_, chunks_;
  bool keep_, keep_blocks_;
  std::vector<Chunk> kept_;
};

}  // namespace gpsieve

#endif
