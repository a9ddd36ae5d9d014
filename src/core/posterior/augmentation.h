// Error bars that do not shrink away from the basis: one more basis function at every point of
// prediction (Rasmussen & Quinonero-Candela 2005), theory.md (6) to (9).
#ifndef GPSIEVE_POSTERIOR_AUGMENTATION_H
#define GPSIEVE_POSTERIOR_AUGMENTATION_H

#include "base/types.h"
#include "kernel/kernel.h"

namespace gpsieve {

struct SparsePosterior;

// For a point x the function k(., x) joins the model, with the prior precision
// a = k(x, x)^2 / noise that makes its prior variance at x that of the noise.
struct Augmentation {
  Matrix points;     // training points, as columns
  Vector precision;  // of the rows: 1 / noise, or the sites'
  double noise = 1.0;

  bool empty() const { return points.size() == 0; }
};

// variance_j += e^2 / (a + s), where with Sigma = (map)'(map), the posterior covariance of the
// weights, and phi = k(training points, x_j):
//   e = k(x_j, x_j) - k_B(x_j)' Sigma P' diag(precision) phi,
//   s = phi' diag(precision) phi - |map P' diag(precision) phi|^2.
// `own` holds k_B at the points x (intercept included), `prior` their k(x, x).
void add_augmented_variance(const Kernel& kernel, Points basis, const SparsePosterior& posterior,
                            Points x, MatrixIn own, VectorIn prior, VectorOut variance);

}  // namespace gpsieve

#endif
