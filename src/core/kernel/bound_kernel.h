// A kernel bound to one data set; shared by all classes and threads of a fit.
#ifndef GPSIEVE_KERNEL_BOUND_KERNEL_H
#define GPSIEVE_KERNEL_BOUND_KERNEL_H

#include <cmath>
#include <memory>
#include <string>

#include "base/error.h"
#include "kernel/kernel.h"
#include "kernel/prepared_points.h"

namespace gpsieve {

class BoundKernel {
 public:
  // Keeps references: kernel and points must outlive it.
  BoundKernel(const Kernel& kernel, Points x)
      : kernel_(kernel), x_(x), prepared_(kernel.prepare(x_)) {}

  const Kernel& kernel() const { return kernel_; }
  Points points() const { return x_; }
  Index size() const { return x_.cols(); }

  // k(x_i, x_i) for every row. Throws NumericalFailure where it is negative or not finite: no
  // random variable has such a variance.
  Vector prior_variances() const {
    Vector variances(size());
    kernel_.diagonal(x_, variances);
    for (Index i = 0; i < size(); ++i)
      if (!(variances(i) >= 0.0) || !std::isfinite(variances(i)))
        throw NumericalFailure("the kernel's variance is negative or not finite at row " +
                               std::to_string(i + 1));
    return variances;
  }

  // out(i, j) = k(x_a[i], x_b[j]) as different points.
  void block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const {
    prepared_->block(a, n_a, b, n_b, out);
  }
  std::unique_ptr<SelectedPoints> select(const Index* b, Index n_b) const {
    return prepared_->select(b, n_b);
  }
  // out(j) = k(x_i, x_{begin + j}), with the exact diagonal where that is x_i itself.
  void column(Index i, Index begin, VectorOut out) const {
    prepared_->column(i, begin, out);
    if (i >= begin && i < begin + out.size())
      kernel_.diagonal(x_.col(i), out.segment(i - begin, 1));
  }

 private:
  const Kernel& kernel_;
  Eigen::Ref<const Matrix> x_;
  std::unique_ptr<PreparedPoints> prepared_;
};

}  // namespace gpsieve

#endif
