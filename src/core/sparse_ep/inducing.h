// Inducing inputs and the whitened coordinates they define (notation.md#whitened-coordinates):
//   K_uu = L L',  f_u = L w,  w ~ N(0, I);   v = L^-1 k_u(x),  s = k(x, x) - |v|^2.
#ifndef GPSIEVE_SPARSE_EP_INDUCING_H
#define GPSIEVE_SPARSE_EP_INDUCING_H

#include "kernel/kernel.h"
#include "posterior/sparse_posterior.h"
#include "sparse_ep/whitened_posterior.h"

namespace gpsieve {

class Inducing {
 public:
  // `jitter` is relative to the mean prior variance of the inducing inputs. The kernel must outlive
  // this object, which has to be made anew when the kernel's parameters change.
  Inducing(const Kernel& kernel, Matrix inputs, double jitter, int threads);

  const Kernel& kernel() const { return *kernel_; }
  const Matrix& inputs() const { return inputs_; }
  const Matrix& factor() const { return l_; }  // L
  double jitter() const { return jitter_; }    // added to the diagonal of K_uu, absolute
  Index size() const { return inputs_.cols(); }

  // v and s of the columns of x, computed by one thread.
  void whiten(Points x, MatrixOut v, VectorOut s) const;

  // The posterior of the latent function, given q(w): theory.md (5).
  SparsePosterior posterior(const WhitenedPosterior& q, double prior_mean) const;

 private:
  const Kernel* kernel_;
  Matrix inputs_, l_;
  double jitter_;
};

}  // namespace gpsieve

#endif
