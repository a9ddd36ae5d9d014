// Factors of many products, packed once: a right one that may grow downwards as more rows of it
// become known, and a left one.
#ifndef GPSIEVE_LINALG_PACKED_PANEL_H
#define GPSIEVE_LINALG_PACKED_PANEL_H

#include "linalg/aligned_buffer.h"
#include "linalg/products.h"

namespace gpsieve {

struct Kernels;
struct Product;

// A left factor.
class PackedRows {
 public:
  // Copies op(a) into packed order, reusing the memory of earlier rows.
  void pack(MatrixIn a, Op op_a);

  Index rows() const { return rows_; }
  Index depth() const { return depth_; }

 private:
  friend class PackedPanel;
  const Kernels* leaf_ = nullptr;  // the instruction set that the order in memory suits
  AlignedBuffer memory_;           // one block of kDepth columns after the other
  Index rows_ = 0, depth_ = 0;
};

// A right factor.
class PackedPanel {
 public:
  // Copies op(b) into packed order, reusing the memory of an earlier panel.
  void pack(MatrixIn b, Op op_b);

  // An empty panel of so many columns with room for so many rows; append() adds rows below.
  void start(Index columns, Index max_rows);
  void append(MatrixIn rows) { append(rows, Op::plain); }

  Index rows() const { return depth_; }
  Index cols() const { return columns_; }

  // c = beta c + alpha op(a) p, where p is the panel's first c.cols() columns: the bits of gemm.
  void multiply(double alpha, MatrixIn a, Op op_a, double beta, MatrixOut c, int threads = 1) const;
  // The same with a left factor packed before, whose columns meet the panel's first rows.
  void multiply(double alpha, const PackedRows& a, double beta, MatrixOut c) const;

 private:
  void append(MatrixIn rows, Op op);
  // The product whose a is packed and whose b is the panel's rows from p on.
  void multiply_block(const Product& product, Index p) const;

  const Kernels* leaf_ = nullptr;
  AlignedBuffer memory_;  // nr columns after the other, each with room for capacity_ rows
  Index depth_ = 0, columns_ = 0, capacity_ = 0;
};

}  // namespace gpsieve

#endif
