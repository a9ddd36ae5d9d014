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
  friend class GrowingPanel;
  const Kernels* loops_ = nullptr;  // the instruction set that the memory's order suits
  AlignedBuffer memory_;            // one block of kDepth columns after the other
  Index rows_ = 0, depth_ = 0;
};

// A right factor that grows downwards.
class GrowingPanel {
 public:
  // An empty panel of so many columns with room for so many rows.
  void start(Index columns, Index max_rows);
  // Adds rows() to end - 1 of columns which[0], which[1], ... of a matrix with leading dimension
  // ld.
  void append_gathered(const double* matrix, Index ld, const Index* which, Index end);

  Index rows() const { return depth_; }
  Index cols() const { return columns_; }

  // c = beta c + alpha a p, where p is the panel's first rows and c.cols() of its columns, in the
  // order of summation of gemm.
  void multiply(double alpha, const PackedRows& a, double beta, MatrixOut c) const;

 protected:
  // Where row p of the columns from j on is, j a multiple of nr.
  double* place(Index p, Index j) const;
  // The product whose a is packed and whose b is the panel's rows from p on.
  void multiply_block(const Product& product, Index p) const;

  const Kernels* loops_ = nullptr;
  AlignedBuffer memory_;  // nr columns after the other, each with room for capacity_ rows
  Index depth_ = 0, columns_ = 0, capacity_ = 0;
};

// A right factor that is packed at once.
class PackedPanel : public GrowingPanel {
 public:
  // Copies op(b) into packed order, reusing the memory of an earlier panel.
  void pack(MatrixIn b, Op op_b);

  using GrowingPanel::multiply;
  // c = beta c + alpha op(a) p with a left factor that is not packed; the bits are those of gemm.
  void multiply(double alpha, MatrixIn a, Op op_a, double beta, MatrixOut c, int threads = 1) const;
};

}  // namespace gpsieve

#endif
