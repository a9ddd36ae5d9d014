// The Gaussian sites of the probit likelihood in mean-field inference: the mean-field equations of
// one row, solved for every row (theory.md#sites).
#ifndef GPSIEVE_MODELS_RVM_SITES_H
#define GPSIEVE_MODELS_RVM_SITES_H

#include "base/types.h"

namespace gpsieve {

class RvmSites {
 public:
  // y is -1 or +1; noise is the variance of the input noise of the probit likelihood. `weight`
  // holds the case weights: the copies of a row have one cavity and one site in common
  // (theory.md#case-weights).
  RvmSites(VectorIn y, Vector weight, double noise, int threads);

  // Solves theory.md (22) for the cavity means of all rows, given the latent values f and the
  // cavity variances V, and computes the sites. Returns the sum of g_i(f_i), theory.md (23).
  double update(VectorIn latent, VectorIn cavity_variance);

  const Vector& weight() const { return weight_; }
  // Of all copies of a row together: d1 = d log Z / dm = dg / df and omega = -d2 g / df2 > 0.
  const Vector& gradient() const { return gradient_; }
  const Vector& precision() const { return precision_; }
  Vector single_precision() const { return precision_.cwiseQuotient(weight_); }  // of one copy
  Vector cavity_mean(VectorIn cavity_variance) const;                            // m
  // Of all copies: beta = -d2 log Z / dm2, and d omega / df where V = 0.
  Vector curvature(VectorIn cavity_variance) const;
  Vector precision_derivative() const;

 private:
  // update() for `count` rows from `begin`, at most one normal::SiteBlock
  double update_block(Index begin, Index count, VectorIn latent, VectorIn variance);

  const Vector y_, weight_;
  double noise_;
  int threads_;
  // At the last solution: z = y m / sqrt(V + noise), h(z) = phi / Phi, and omega = 1 + dh / dz.
  // Newton's method for the next solution starts there.
  Vector z_, h_, omega_;
  Vector gradient_, precision_;
};

}  // namespace gpsieve

#endif
