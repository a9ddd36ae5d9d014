// Preconditioned conjugate gradients on several right-hand sides at once: theory.md (5) and (6).
#ifndef GPSIEVE_EXACT_CONJUGATE_GRADIENTS_H
#define GPSIEVE_EXACT_CONJUGATE_GRADIENTS_H

#include <vector>

#include "base/context.h"
#include "exact/covariance_product.h"
#include "exact/pic_preconditioner.h"

namespace gpsieve {

struct CgOptions {
  double tol = 1e-5;       // relative residual at which a solution is accepted
  Index max_steps = 1000;  // products with K + D for one right-hand side
  // So many of the last right-hand sides are probes: only their tridiagonal matrices are wanted,
  // and they stop at their own tolerance.
  Index probes = 0;
  double probe_tol = 1e-2;
};

// The symmetric tridiagonal matrix of the steps, in coordinates in which M is the identity.
struct Tridiagonal {
  std::vector<double> diagonal, below;
};

struct CgResult {
  Matrix solutions;  // of the right-hand sides that are no probes
  Matrix remaining;  // b - (K + D) x, computed anew at the end
  Vector residuals;  // its size, relative
  Indices steps;     // of every right-hand side
  bool converged = true;
  std::vector<Tridiagonal> steps_of_probes;
};

// (K + D) x = b for every column of b. The residual r of a solution counts as
// sqrt(r' M^-1 r / b' M^-1 b).
CgResult conjugate_gradients(const CovarianceProduct& product,
                             const PicPreconditioner& preconditioner, MatrixIn b,
                             const CgOptions& options, const Context& ctx);

}  // namespace gpsieve

#endif
