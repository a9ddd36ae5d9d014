#include "kernel/kernel.h"

#include "linalg/products.h"

namespace gpsieve {

std::unique_ptr<PreparedPoints> Kernel::prepare(Points x) const {
  return std::make_unique<GatheredPoints>(*this, x);
}

void Kernel::gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                       MatrixOut grad_b) const {
  cross_gradient(a, b, g, grad);
  if (grad_a.size() > 0) input_gradient(b, a, g.transpose(), grad_a);
  if (grad_b.size() > 0) input_gradient(a, b, g, grad_b);
}

std::unique_ptr<EvaluatedBlock> Kernel::evaluate_block(Points a, Points b, MatrixOut k) const {
  cross(a, b, k);
  return std::make_unique<RecomputedBlock>(*this, a, b);
}

void Kernel::gram(Points a, MatrixOut k) const {
  cross(a, a, k);
  complete_gram(a, k);
}

void Kernel::complete_gram(Points a, MatrixOut k) const {
  symmetrise_from_lower(k);  // rounding in cross() need not be symmetric
  Vector own(a.cols());
  diagonal(a, own);
  k.diagonal() = own;
}

void Kernel::gram_gradient(Points a, MatrixIn g, VectorOut grad) const {
  Matrix between = g;
  between.diagonal().setZero();
  cross_gradient(a, a, between, grad);
  diagonal_gradient(a, g.diagonal(), grad);
}

}  // namespace gpsieve
