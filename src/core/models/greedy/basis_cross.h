// The block of K between basis rows and all rows of a data set, and its reverse mode.
//
// A row against itself has the exact diagonal, as in the kernel matrix of the data (cross() takes
// all points for different ones: white noise would be missing).
#ifndef GPSIEVE_MODELS_GREEDY_BASIS_CROSS_H
#define GPSIEVE_MODELS_GREEDY_BASIS_CROSS_H

#include "base/context.h"
#include "kernel/kernel.h"

namespace gpsieve {

class BasisCross {
 public:
  // All arguments must outlive it.
  BasisCross(const Kernel& kernel, Points x, const Indices& basis);

  Index size() const { return points_.cols(); }
  Index rows() const { return x_.cols(); }
  const Matrix& points() const { return points_; }
  const Vector& diagonal() const { return diagonal_; }  // k(x_b, x_b) of the basis

  // m x count: the basis against rows begin, begin + 1, ...
  Matrix block(Index begin, Index count, int threads) const;
  // grad += sum over that block of g_ij dk_ij
  void add_gradient(Index begin, MatrixIn g, VectorOut grad) const;

 private:
  // visit(i, j) for every basis point i that is row begin + j of the block.
  template <class Visit>
  void for_own_rows(Index begin, Index count, const Visit& visit) const;

  const Kernel& kernel_;
  Eigen::Ref<const Matrix> x_;
  const Indices& basis_;
  Matrix points_;
  Vector diagonal_;
};

}  // namespace gpsieve

#endif
