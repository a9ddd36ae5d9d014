#include "sparse_ep/inducing.h"

#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {

Inducing::Inducing(const Kernel& kernel, Matrix inputs, double jitter, int threads)
    : kernel_(&kernel), inputs_(std::move(inputs)), l_(inputs_.cols(), inputs_.cols()) {
  if (inputs_.cols() == 0) throw NumericalFailure("there are no inducing inputs");
  kernel.gram(inputs_, l_);
  jitter_ = cholesky_with_jitter(l_, jitter, threads);
}

void Inducing::whiten(Points x, MatrixOut v, VectorOut s) const {
  kernel_->cross(inputs_, x, v);
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
