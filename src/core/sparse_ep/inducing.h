// Inducing inputs and the whitened coordinates they define (notation.md#whitened-coordinates):
//   K_uu = L L',  f_u = L w,  w ~ N(0, I);   v = L^-1 k_u(x),  s = k(x, x) - |v|^2.
#ifndef GPSIEVE_SPARSE_EP_INDUCING_H
#define GPSIEVE_SPARSE_EP_INDUCING_H

#include <memory>

#include "kernel/kernel.h"
#include "posterior/sparse_posterior.h"
#include "sparse_ep/whitened_posterior.h"

namespace gpsieve {

class Inducing {
 public:
  // `jitter` is relative to the mean prior variance of the inducing inputs. The kernel must outlive
  // this object, which has to be made anew when the kernel's parameters change. `for_gradients`:
  // what gradients by the kernel need is kept where values of the kernel are computed.
  Inducing(const Kernel& kernel, Matrix inputs, double jitter, int threads,
           bool for_gradients = false);

  const Kernel& kernel() const { return *kernel_; }
  const Matrix& inputs() const { return *inputs_; }
  const Matrix& factor() const { return l_; }  // L
  double jitter() const { return jitter_; }    // added to the diagonal of K_uu, absolute
  Index size() const { return inputs_->cols(); }

  bool for_gradients() const { return for_gradients_; }
  // K_uu without jitter, with what its gradients need; computed here unless it was kept.
  std::shared_ptr<const EvaluatedBlock> gram_block() const;
  // K_uf of the columns of x, with what its gradients need: x must outlive the result.
  std::unique_ptr<EvaluatedBlock> cross_block(Points x, MatrixOut k) const;

  // v and s of the columns of x, computed by one thread.
  void whiten(Points x, MatrixOut v, VectorOut s) const;
  // whiten(), with what the gradients need of K_uf: see cross_block().
  std::unique_ptr<EvaluatedBlock> whiten_for_gradients(Points x, MatrixOut v, VectorOut s) const;

  // The posterior of the latent function, given q(w): theory.md (5).
  SparsePosterior posterior(const WhitenedPosterior& q, double prior_mean) const;

 private:
  void whiten_values(Points x, MatrixOut v, VectorOut s) const;

  const Kernel* kernel_;
  std::shared_ptr<const Matrix> inputs_;  // copies of this object and what is kept share them
  Matrix l_;
  std::shared_ptr<const EvaluatedBlock> gram_;
  double jitter_;
  bool for_gradients_;
};

}  // namespace gpsieve

#endif
