// A block of a kernel matrix with what its gradients need, kept from computing its values.
//
// A step of learning needs the values of a block and then, at the same hyper-parameters, its
// gradients. Distances and slopes are then computed once. A block makes others of the same points
// a, such as the inducing inputs, and shares with them what a alone determines.
#ifndef GPSIEVE_KERNEL_EVALUATED_BLOCK_H
#define GPSIEVE_KERNEL_EVALUATED_BLOCK_H

#include <memory>
#include <vector>

#include "base/types.h"

namespace gpsieve {

class Kernel;

class EvaluatedBlock {
 public:
  // Blocks of one kernel and the same points a, in the order of their points b.
  using Row = std::vector<const EvaluatedBlock*>;

  virtual ~EvaluatedBlock() = default;
  // The number of points b.
  virtual Index cols() const = 0;
  // For a row of blocks whose weights stand side by side in g, in one pass over the points a:
  // grad += sum_ij g_ij d k(a_i, b_j) / d log theta, and where grad_a is not empty
  // grad_a(:, i) += sum_j g_ij d k(a_i, b_j) / d a_i. `this` is one of the blocks.
  virtual void add_gradients_of(const Row& row, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                                int threads) const = 0;
  // add_gradients_of() for this block alone.
  void add_gradients(MatrixIn g, VectorOut grad, MatrixOut grad_a, int threads = 1) const {
    add_gradients_of({this}, g, grad, grad_a, threads);
  }
  // Kernel::evaluate_block() of the same points a and other points b.
  virtual std::unique_ptr<EvaluatedBlock> with(Points b, MatrixOut k) const = 0;

 protected:
  // Where the columns of each block of a row begin in g, and after the last one their number.
  static Indices first_columns(const Row& row);
};

// For any kernel: keeps the points only, and computes the gradients from them.
class RecomputedBlock final : public EvaluatedBlock {
 public:
  RecomputedBlock(const Kernel& kernel, Points a, Points b) : kernel_(kernel), a_(a), b_(b) {}
  Index cols() const override { return b_.cols(); }
  void add_gradients_of(const Row& row, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                        int threads) const override;
  std::unique_ptr<EvaluatedBlock> with(Points b, MatrixOut k) const override;

 private:
  void add_own(MatrixIn g, VectorOut grad, MatrixOut grad_a) const;

  const Kernel& kernel_;
  Eigen::Ref<const Matrix> a_, b_;
};

}  // namespace gpsieve

#endif
