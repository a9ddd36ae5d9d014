// A data set made ready for one kernel and asked for blocks by row number.
//
// Whatever depends on a point alone (its scaled inputs, its norm) is computed once, not once per
// block: the informative vector machine asks for hundreds of thousands of small blocks.
#ifndef GPSIEVE_KERNEL_PREPARED_POINTS_H
#define GPSIEVE_KERNEL_PREPARED_POINTS_H

#include <memory>

#include "base/types.h"

namespace gpsieve {

class Kernel;

// Some of the points, of which blocks are asked for again and again.
class SelectedPoints {
 public:
  virtual ~SelectedPoints() = default;
  // out(i, j) = k(x_a[i], j-th selected point) for the first out.cols() selected points.
  virtual void block(const Index* a, Index n_a, MatrixOut out) const = 0;
  // out(i, j) = k(i-th point of a, j-th selected point), a another selection from these points.
  virtual void block(const SelectedPoints& a, MatrixOut out) const = 0;
};

// All functions may be called from several threads at once if the kernel is thread-safe.
class PreparedPoints {
 public:
  virtual ~PreparedPoints() = default;

  // out(i, j) = k(x_a[i], x_b[j]), as different points.
  virtual void block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const = 0;
  // out(j) = k(x_i, x_{begin + j}), as different points.
  virtual void column(Index i, Index begin, VectorOut out) const = 0;
  // The points in b; this object must outlive the result.
  virtual std::unique_ptr<SelectedPoints> select(const Index* b, Index n_b) const;
};

// For any kernel: gathers the points and calls cross(). Keeps references to both arguments.
class GatheredPoints final : public PreparedPoints {
 public:
  GatheredPoints(const Kernel& kernel, Points x) : kernel_(kernel), x_(x) {}
  void block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const override;
  void column(Index i, Index begin, VectorOut out) const override;

 private:
  const Kernel& kernel_;
  Eigen::Ref<const Matrix> x_;
};

// For kernels whose cross() does not look at the points.
class PointFree final : public PreparedPoints {
 public:
  explicit PointFree(const Kernel& kernel) : kernel_(kernel) {}
  void block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const override;
  void column(Index i, Index begin, VectorOut out) const override;

 private:
  const Kernel& kernel_;
};

// Columns `rows` of `points`, side by side.
Matrix gather_columns(MatrixIn points, const Index* rows, Index n);

}  // namespace gpsieve

#endif
