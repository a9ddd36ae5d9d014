// A block of a kernel matrix with what its gradients need, kept from computing its values.
//
// A step of learning needs the values of a block and then, at the same hyper-parameters, its
// gradients. Distances and slopes are then computed once. A block makes others of the same points
// a, such as the inducing inputs, and shares with them what a alone determines.
#ifndef GPSIEVE_KERNEL_EVALUATED_BLOCK_H
#define GPSIEVE_KERNEL_EVALUATED_BLOCK_H

#include <memory>

#include "base/types.h"

namespace gpsieve {

class Kernel;

class EvaluatedBlock {
 public:
  virtual ~EvaluatedBlock() = default;
  // grad += sum_ij g_ij d k(a_i, b_j) / d log theta, and where grad_a is not empty
  // grad_a(:, i) += sum_j g_ij d k(a_i, b_j) / d a_i.
  virtual void add_gradients(MatrixIn g, VectorOut grad, MatrixOut grad_a) const = 0;
  // Kernel::evaluate_block() of the same points a and other points b.
  virtual std::unique_ptr<EvaluatedBlock> with(Points b, MatrixOut k) const = 0;
};

// For any kernel: keeps the points only, and computes the gradients from them.
class RecomputedBlock final : public EvaluatedBlock {
 public:
  RecomputedBlock(const Kernel& kernel, Points a, Points b) : kernel_(kernel), a_(a), b_(b) {}
  void add_gradients(MatrixIn g, VectorOut grad, MatrixOut grad_a) const override;
  std::unique_ptr<EvaluatedBlock> with(Points b, MatrixOut k) const override;

 private:
  const Kernel& kernel_;
  Eigen::Ref<const Matrix> a_, b_;
};

}  // namespace gpsieve

#endif
