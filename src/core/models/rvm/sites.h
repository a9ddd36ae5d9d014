// The Gaussian sites of the probit likelihood in mean-field inference: the mean-field equations of
// one row, solved for every row (theory.md#sites).
#ifndef GPSIEVE_MODELS_RVM_SITES_H
#define GPSIEVE_MODELS_RVM_SITES_H

#include "base/types.h"

namespace gpsieve {

class RvmSites {
 public:
  // y is -1 or +1; noise is the variance of the input noise of the probit likelihood.
  RvmSites(VectorIn y, double noise, int threads);

  // Solves theory.md (22) for the cavity means of all rows, given the latent values f and the
  // cavity variances V, and computes the sites. Returns the sum of g_i(f_i), theory.md (23).
  double update(VectorIn latent, VectorIn cavity_variance);

  const Vector& gradient() const { return gradient_; }    // d1 = d log Z / dm = dg / df
  const Vector& precision() const { return precision_; }  // omega = -d2 g / df2 > 0
  Vector cavity_mean(VectorIn cavity_variance) const;     // m
  Vector curvature(VectorIn cavity_variance) const;       // beta = -d2 log Z / dm2
  Vector precision_derivative() const;                    // d omega / df, where V = 0

 private:
  const Vector y_;
  double noise_;
  int threads_;
  Vector z_;  // y m / sqrt(V + noise)
  Vector gradient_, precision_;
};

}  // namespace gpsieve

#endif
