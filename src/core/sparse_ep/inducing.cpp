#include "sparse_ep/inducing.h"

#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {

Inducing::Inducing(const Kernel& kernel, Matrix inputs, double jitter, int threads,
                   bool for_gradients)
    : kernel_(&kernel),
      inputs_(std::make_shared<const Matrix>(std::move(inputs))),
      l_(size(), size()),
      for_gradients_(for_gradients) {
  if (size() == 0) throw NumericalFailure("there are no inducing inputs");
  if (for_gradients)
    gram_ = kernel.evaluate_block(*inputs_, *inputs_, l_);
  else
    kernel.cross(*inputs_, *inputs_, l_);
  kernel.complete_gram(*inputs_, l_);
  jitter_ = cholesky_with_jitter(l_, jitter, threads);
}

std::shared_ptr<const EvaluatedBlock> Inducing::gram_block() const {
  if (gram_) return gram_;
  Matrix values(size(), size());
  return kernel_->evaluate_block(*inputs_, *inputs_, values);
}

std::unique_ptr<EvaluatedBlock> Inducing::cross_block(Points x, MatrixOut k) const {
  return gram_ ? gram_->with(x, k) : kernel_->evaluate_block(*inputs_, x, k);
}

void Inducing::whiten(Points x, MatrixOut v, VectorOut s) const {
  kernel_->cross(*inputs_, x, v);
  whiten_values(x, v, s);
}

std::unique_ptr<EvaluatedBlock> Inducing::whiten_for_gradients(Points x, MatrixOut v,
                                                               VectorOut s) const {
  auto block = cross_block(x, v);
  whiten_values(x, v, s);
  return block;
}

// From v = k_u(x).
void Inducing::whiten_values(Points x, MatrixOut v, VectorOut s) const {
  trsm(Side::left, Triangle::lower, Op::plain, l_, v);
  Vector explained(x.cols());
  kernel_->diagonal(x, s);
  column_squared_norms(v, explained);
  s = (s - explained).cwiseMax(0.0);
}

SparsePosterior Inducing::posterior(const WhitenedPosterior& q, double prior_mean) const {
  SparsePosterior posterior;
  posterior.prior_mean = prior_mean;
  Matrix weights = q.mean;
  trsm(Side::left, Triangle::lower, Op::transposed, l_, weights);
  posterior.weights = weights.col(0);
  posterior.down.factor = l_;
  // C^-1 L^-1 = (L C)^-1, and L C is lower triangular.
  posterior.up.factor = q.factor.triangularView<Eigen::Lower>();
  trmm(Side::left, Triangle::lower, Op::plain, l_, posterior.up.factor);
  return posterior;
}

}  // namespace gpsieve
