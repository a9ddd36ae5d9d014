// The fully independent training conditional (FITC) in whitened coordinates.
//
//   K_uu = L L',  f_u = L w,  w ~ N(0, I);   V = L^-1 K_uf (m x n),  s_i = k_ii - |v_i|^2
//   f_i = v_i' w + N(0, s_i), independent given w
#ifndef GPSIEVE_APPROX_FITC_H
#define GPSIEVE_APPROX_FITC_H

#include "approx/sparse_posterior.h"
#include "base/context.h"
#include "kernel/kernel.h"

namespace gpsieve {

// q(w) = N(mean, Lambda^-1), Lambda = I + T = C C'. Every such precision is I + PSD for log-concave
// likelihoods, so that C cannot break down.
struct WhitenedPosterior {
  static WhitenedPosterior prior(Index m);
  // From the natural parameters T (its lower triangle) and b = Lambda mean.
  static WhitenedPosterior from_natural(const Matrix& t, const Vector& b, int threads);

  Matrix factor;  // C
  Vector mean;
  double log_normaliser;  // g(T, b) = -log|C| + |C^-1 b|^2 / 2; 0 for the prior
};

class Fitc {
 public:
  // V is kept: 8 m n bytes. `jitter` is relative to the mean prior variance of the inducing inputs.
  Fitc(const Kernel& kernel, Points inducing, Points x, double jitter, const Context& ctx);

  const Matrix& factor() const { return l_; }    // L
  const Matrix& whitened() const { return v_; }  // V
  const Vector& residual() const { return s_; }  // s
  double jitter() const { return jitter_; }      // what was added to K_uu, absolute

  // The posterior over functions that belongs to q(w).
  SparsePosterior posterior(const WhitenedPosterior& q, double prior_mean) const;

 private:
  Matrix l_, v_;
  Vector s_;
  double jitter_;
};

}  // namespace gpsieve

#endif
