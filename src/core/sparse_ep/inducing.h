// Inducing inputs and the coordinates they define.
//
//   K_uu = L L',  f_u = L w,  w ~ N(0, I);   v = L^-1 k_u(x),  s = k(x, x) - |v|^2
//   f(x) = v'w + N(0, s), independent given w: the fully independent training conditional (FITC)
#ifndef GPSIEVE_SPARSE_EP_INDUCING_H
#define GPSIEVE_SPARSE_EP_INDUCING_H

#include "kernel/kernel.h"
#include "posterior/sparse_posterior.h"
#include "sparse_ep/whitened_posterior.h"

namespace gpsieve {

class Inducing {
 public:
  // `jitter` is relative to the mean prior variance of the inducing inputs. The kernel must outlive
  // this; changing its parameters invalidates it.
  Inducing(const Kernel& kernel, Matrix inputs, double jitter, int threads);

  const Kernel& kernel() const { return *kernel_; }
  const Matrix& inputs() const { return inputs_; }
  const Matrix& factor() const { return l_; }  // L
  double jitter() const { return jitter_; }    // what was added to K_uu, absolute
  Index size() const { return inputs_.cols(); }

  // v and s of the columns of x, one block at a time: no threads inside.
  void whiten(Points x, MatrixOut v, VectorOut s) const;

  // The posterior over functions that belongs to q(w).
  SparsePosterior posterior(const WhitenedPosterior& q, double prior_mean) const;

 private:
  const Kernel* kernel_;
  Matrix inputs_, l_;
  double jitter_;
};

}  // namespace gpsieve

#endif
