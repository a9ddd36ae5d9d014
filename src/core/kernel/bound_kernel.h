// A kernel bound to one data set; shared by all classes and threads of a fit.
//
// Its rows may have scales r: the covariance of rows i and j is then r_i k(x_i, x_j) r_j.
// Regression on rows of case weights w is regression on rows of weight 1 with scales r = sqrt(w).
#ifndef GPSIEVE_KERNEL_BOUND_KERNEL_H
#define GPSIEVE_KERNEL_BOUND_KERNEL_H

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "kernel/kernel.h"
#include "kernel/prepared_points.h"

namespace gpsieve {

class BoundKernel {
 public:
  // Keeps references: kernel and points must outlive it. No scales are scales of 1.
  BoundKernel(const Kernel& kernel, Points x, Vector scale = Vector())
      : kernel_(kernel), x_(x), scale_(std::move(scale)), prepared_(kernel.prepare(x_)) {}

  const Kernel& kernel() const { return kernel_; }
  Points points() const { return x_; }
  Index size() const { return x_.cols(); }
  bool scaled() const { return scale_.size() > 0; }
  double scale(Index i) const { return scaled() ? scale_(i) : 1.0; }

  // The variance of every row. Throws NumericalFailure where it is negative or not finite: no
  // random variable has such a variance.
  Vector prior_variances() const {
    Vector variances(size());
    kernel_.diagonal(x_, variances);
    for (Index i = 0; i < size(); ++i)
      if (!(variances(i) >= 0.0) || !std::isfinite(variances(i)))
        throw NumericalFailure("the kernel's variance is negative or not finite at row " +
                               std::to_string(i + 1));
    if (scaled()) variances = variances.cwiseProduct(scale_.cwiseAbs2());
    return variances;
  }

  // out(i, j): the covariance of rows a[i] and b[j] as different points.
  void block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const {
    prepared_->block(a, n_a, b, n_b, out);
    if (scaled()) apply_scales(a, b, out);
  }
  // Without scales.
  std::unique_ptr<SelectedPoints> select(const Index* b, Index n_b) const {
    return prepared_->select(b, n_b);
  }
  // Multiplies the covariances of rows a[i] and b[j] without scales by those.
  void apply_scales(const Index* a, const Index* b, MatrixOut out) const {
    if (!scaled()) return;
    for (Index j = 0; j < out.cols(); ++j)
      for (Index i = 0; i < out.rows(); ++i) out(i, j) *= scale_(a[i]) * scale_(b[j]);
  }
  // out(j): the covariance of rows i and begin + j, the variance where both are the same row.
  void column(Index i, Index begin, VectorOut out) const {
    prepared_->column(i, begin, out);
    if (i >= begin && i < begin + out.size())
      kernel_.diagonal(x_.col(i), out.segment(i - begin, 1));
    if (scaled()) out = scale_(i) * out.cwiseProduct(scale_.segment(begin, out.size()));
  }

 private:
  const Kernel& kernel_;
  Eigen::Ref<const Matrix> x_;
  Vector scale_;  // of the rows; empty: 1
  std::unique_ptr<PreparedPoints> prepared_;
};

}  // namespace gpsieve

#endif
