// The right factor of many products, packed once.
#ifndef GPSIEVE_LINALG_PACKED_PANEL_H
#define GPSIEVE_LINALG_PACKED_PANEL_H

#include "linalg/aligned_buffer.h"
#include "linalg/products.h"

namespace gpsieve {

struct Kernels;

class PackedPanel {
 public:
  // Copies op(b) into packed order, reusing the memory of an earlier panel.
  void pack(MatrixIn b, Op op_b);

  // The shape of op(b).
  Index rows() const { return depth_; }
  Index cols() const { return columns_; }

  // c = beta c + alpha op(a) op(b): the same bits as gemm.
  void multiply(double alpha, MatrixIn a, Op op_a, double beta, MatrixOut c, int threads = 1) const;

 private:
  const Kernels* leaf_ = nullptr;  // the instruction set that the order in memory suits
  AlignedBuffer memory_;
  Index depth_ = 0, columns_ = 0;
};

}  // namespace gpsieve

#endif
