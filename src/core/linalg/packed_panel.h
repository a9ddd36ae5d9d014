// The right factor of many products, packed once; it may grow downwards as more rows of it become
// known.
#ifndef GPSIEVE_LINALG_PACKED_PANEL_H
#define GPSIEVE_LINALG_PACKED_PANEL_H

#include "linalg/aligned_buffer.h"
#include "linalg/products.h"

namespace gpsieve {

struct Kernels;

class PackedPanel {
 public:
  // Rows come in blocks of this many; only the last may be shorter.
  static constexpr Index kBlockRows = 256;

  // Copies op(b) into packed order, reusing the memory of an earlier panel.
  void pack(MatrixIn b, Op op_b);

  // An empty panel of so many columns with room for so many rows; append() adds a block below.
  void start(Index columns, Index max_rows);
  void append(MatrixIn block) { append(block, Op::plain); }

  Index rows() const { return depth_; }
  Index cols() const { return columns_; }

  // c = beta c + alpha op(a) p, where p is the panel's first c.cols() columns: the bits of gemm.
  void multiply(double alpha, MatrixIn a, Op op_a, double beta, MatrixOut c, int threads = 1) const;

 private:
  void append(MatrixIn block, Op op);
  Index row_size() const;  // doubles that one row takes

  const Kernels* leaf_ = nullptr;  // the instruction set that the order in memory suits
  AlignedBuffer memory_;
  Index depth_ = 0, columns_ = 0, capacity_ = 0;
};

}  // namespace gpsieve

#endif
