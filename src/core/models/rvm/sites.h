// The mean-field equations of the probit, row by row (math: relevance vectors, section 4).
#ifndef GPSIEVE_MODELS_RVM_SITES_H
#define GPSIEVE_MODELS_RVM_SITES_H

#include "base/types.h"

namespace gpsieve {

// Given outputs f and cavity variances V, the cavity mean m solves m + V tau(m) = f.
class RvmSites {
 public:
  // y is -1 or +1, noise the variance of the probit's input noise.
  RvmSites(VectorIn y, double noise, int threads);

  // Solves for all rows; sum of g = log Z + V tau^2 / 2, the objective that is concave in f.
  double solve(VectorIn outputs, VectorIn variances);

  const Vector& tau() const { return tau_; }      // d log Z / dm = dg / df
  const Vector& omega() const { return omega_; }  // -d2 g / df2 > 0
  Vector cavity_mean(VectorIn variances) const;
  Vector curvature(VectorIn variances) const;  // beta = -d2 log Z / dm2
  Vector omega_derivative() const;             // d Omega / df at V = 0

 private:
  const Vector y_;
  double noise_;
  int threads_;
  Vector z_, tau_, omega_;
};

}  // namespace gpsieve

#endif
