#include "kernel/evaluated_block.h"

#include "kernel/kernel.h"

namespace gpsieve {

void RecomputedBlock::add_gradients(MatrixIn g, VectorOut grad, MatrixOut grad_a) const {
  if (grad_a.size() > 0)
    kernel_.gradients(b_, a_, g.transpose(), grad, grad_a);
  else
    kernel_.cross_gradient(a_, b_, g, grad);
}

std::unique_ptr<EvaluatedBlock> RecomputedBlock::with(Points b, MatrixOut k) const {
  return kernel_.evaluate_block(a_, b, k);
}

}  // namespace gpsieve
