// The fully independent training conditional (FITC) in whitened coordinates, and parallel EP on it.
//
//   K_uu = L L',  f_u = L w,  w ~ N(0, I);   V = L^-1 K_uf (m x n),  s_i = k_ii - |v_i|^2
//   q(w) = N(mu, Lambda^-1),  Lambda = I + V diag(tau) V' = C C'
// Every posterior precision is I + PSD, so for log-concave likelihoods C cannot break down.
#ifndef GPSIEVE_APPROX_FITC_H
#define GPSIEVE_APPROX_FITC_H

#include "approx/sparse_posterior.h"
#include "base/context.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

// q(w), from its natural parameters T = V diag(tau) V' (lower triangle) and b = V nu.
struct WhitenedPosterior {
  Matrix factor;            // C
  Vector mean;              // mu
  double log_normaliser;    // g(T, b) = -log|C| + |C^-1 b|^2 / 2
};
WhitenedPosterior whitened_posterior(const Matrix& precision, const Vector& shift, int threads);

class Fitc {
 public:
  // V is kept: 8 m n bytes. `jitter` is relative to the mean prior variance of the inducing inputs.
  Fitc(const Kernel& kernel, Points inducing, Points x, double jitter, const Context& ctx);

  const Matrix& factor() const { return l_; }         // L
  const Matrix& whitened() const { return v_; }       // V
  const Vector& residual() const { return s_; }       // s
  double jitter() const { return jitter_; }           // what was added to K_uu, absolute

  // The posterior over functions that belongs to q(w).
  SparsePosterior posterior(const WhitenedPosterior& q, double prior_mean) const;

 private:
  Matrix l_, v_;
  Vector s_;
  double jitter_;
};

struct EpSites {
  Vector precision, shift;     // tau and nu of the projections v_i' w
  Vector cavity_mean, cavity_variance;  // of f_i, from the last pass, without prior mean
  double log_evidence;         // EP's log Z at the last pass
  Index skipped;               // sites left alone in the last pass: their cavity was improper
};

// `passes` of parallel EP from empty sites; returns the sites and q. Where the factor breaks down or
// more than a tenth of the cavities are improper (likelihoods that are not log-concave only) the
// pass is repeated at half the step.
EpSites parallel_ep(const Fitc& fitc, const Likelihood& likelihood, VectorIn y, double prior_mean,
                    int passes, WhitenedPosterior& q, const Context& ctx);

}  // namespace gpsieve

#endif
