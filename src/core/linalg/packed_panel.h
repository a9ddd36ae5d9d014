// Factors of many products, packed once: a right one that may grow downwards as more rows of it
// become known, and a left one, in double or single precision.
#ifndef GPSIEVE_LINALG_PACKED_PANEL_H
#define GPSIEVE_LINALG_PACKED_PANEL_H

#include "linalg/aligned_buffer.h"
#include "linalg/products.h"

namespace gpsieve {

template <class Real>
struct ProductLoops;
template <class Real>
struct BasicProduct;
template <class Real>
class GrowingPanel;

template <class Real>
using MatrixOf = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

// A left factor.
template <class Real>
class BasicPackedRows {
 public:
  // Copies op(a), rounded to Real, into packed order, reusing the memory of earlier rows.
  void pack(MatrixIn a, Op op_a);

  Index rows() const { return rows_; }
  Index depth() const { return depth_; }

 private:
  friend class GrowingPanel<Real>;
  const ProductLoops<Real>* loops_ = nullptr;  // the instruction set that the memory's order suits
  BasicAlignedBuffer<Real> memory_;            // one block of kDepth columns after the other
  Index rows_ = 0, depth_ = 0;
};
using PackedRows = BasicPackedRows<double>;

// A right factor that grows downwards.
template <class Real>
class GrowingPanel {
 public:
  using Out = Eigen::Ref<MatrixOf<Real>>;

  // An empty panel of so many columns with room for so many rows.
  void start(Index columns, Index max_rows);
  // Adds rows() to end - 1 of columns which[0], which[1], ... of a matrix with leading dimension
  // ld.
  void append_gathered(const Real* matrix, Index ld, const Index* which, Index end);

  Index rows() const { return depth_; }
  Index cols() const { return columns_; }

  // c = beta c + alpha a p, where p is the panel's first rows and c.cols() of its columns, in the
  // order of summation of gemm.
  void multiply(Real alpha, const BasicPackedRows<Real>& a, Real beta, Out c) const;

 protected:
  // Where row p of the columns from j on is, j a multiple of nr.
  Real* place(Index p, Index j) const;
  // The product whose a is packed and whose b is the panel's rows from p on.
  void multiply_block(const BasicProduct<Real>& product, Index p) const;

  const ProductLoops<Real>* loops_ = nullptr;
  BasicAlignedBuffer<Real>
      memory_;  // nr columns after the other, each with room for capacity_ rows
  Index depth_ = 0, columns_ = 0, capacity_ = 0;
};

// A right factor that is packed at once.
class PackedPanel : public GrowingPanel<double> {
 public:
  // Copies op(b) into packed order, reusing the memory of an earlier panel.
  void pack(MatrixIn b, Op op_b);

  using GrowingPanel<double>::multiply;
  // c = beta c + alpha op(a) p with a left factor that is not packed; the bits are those of gemm.
  void multiply(double alpha, MatrixIn a, Op op_a, double beta, MatrixOut c, int threads = 1) const;
};

}  // namespace gpsieve

#endif
