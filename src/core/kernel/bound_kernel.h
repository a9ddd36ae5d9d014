// A kernel bound to one data set, asked for blocks by row number.
//
// Everything that depends on the data alone (scaled inputs, norms) is prepared once and shared by
// all classes and threads.
#ifndef GPSIEVE_KERNEL_BOUND_KERNEL_H
#define GPSIEVE_KERNEL_BOUND_KERNEL_H

#include "kernel/kernel.h"

namespace gpsieve {

class BoundKernel {
 public:
  // Keeps references: kernel and points must outlive it.
  BoundKernel(const Kernel& kernel, Points x) : kernel_(kernel), x_(x) {}

  const Kernel& kernel() const { return kernel_; }
  Points points() const { return x_; }
  Index size() const { return x_.cols(); }

  // out(i, j) = k(x_a[i], x_b[j]) as different points.
  void block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const;
  // out(j) = k(x_i, x_j) for j in [begin, begin + out.size()), with the exact diagonal at j = i.
  void column(Index i, Index begin, VectorOut out) const;

 private:
  Matrix gather(const Index* rows, Index n) const;

  const Kernel& kernel_;
  Eigen::Ref<const Matrix> x_;
};

}  // namespace gpsieve

#endif
