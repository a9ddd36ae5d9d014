// The rows of an update in whitened coordinates, computed in chunks of consecutive rows.
//
// All chunks are kept when they fit in a fixed amount of memory; otherwise each is computed anew
// whenever it is asked for, so that memory does not grow with the number of rows
// (theory.md#cost).
#ifndef GPSIEVE_SPARSE_EP_WHITENED_ROWS_H
#define GPSIEVE_SPARSE_EP_WHITENED_ROWS_H

#include <vector>

#include "base/context.h"
#include "sparse_ep/inducing.h"

namespace gpsieve {

// A set of rows: begin, ..., begin + size - 1, or the entries begin, ... of the list `index`.
struct RowSet {
  static RowSet range(Index begin, Index size) { return {begin, size, nullptr}; }
  static RowSet listed(const Indices& rows) {
    return {0, static_cast<Index>(rows.size()), rows.data()};
  }
  Index operator[](Index i) const { return index ? index[i] : begin + i; }
  // `count` rows from position `from` on.
  RowSet part(Index from, Index count) const {
    return {begin + from, count, index ? index + from : nullptr};
  }

  Index begin, size;
  const Index* index;
};

class WhitenedRows {
 public:
  // `x`, `inducing` and the list behind `rows` must outlive this object.
  WhitenedRows(const Inducing& inducing, Points x, RowSet rows);

  struct Chunk {
    Index begin, size;  // positions within the row set
    Matrix gathered;    // the inputs, where they are not contiguous in x
    Matrix v;           // columns v_i
    Vector s;           // residual variances s_i
  };

  Index chunks() const { return chunks_; }
  // The reference is valid until the next call.
  const Chunk& chunk(Index c, const Context& ctx);
  // The inputs of a chunk's rows.
  Eigen::Ref<const Matrix> points(const Chunk& chunk) const;

  const RowSet& rows() const { return rows_; }
  const Inducing& inducing() const { return inducing_; }

 private:
  void compute(Chunk& chunk, Index c, const Context& ctx) const;

  const Inducing& inducing_;
  Eigen::Ref<const Matrix> x_;
  RowSet rows_;
  Index chunk_size_, chunks_;
  bool keep_;
  std::vector<Chunk> kept_;
};

}  // namespace gpsieve

#endif
