// Gaussian noise without n x n matrices: the exact posterior mean by conjugate gradients, variances
// and cavities by near rows and inducing rows (exact/theory.md).
#ifndef GPSIEVE_MODELS_MEANFIELD_ITERATIVE_H
#define GPSIEVE_MODELS_MEANFIELD_ITERATIVE_H

#include "exact/exact_solution.h"
#include "models/fit_problem.h"
#include "models/fit_result.h"

namespace gpsieve {

struct IterativeFit {
  FitResult fit;
  Vector mean, variance;  // of the latent function at the rows
  Index steps;
  double residual;        // relative, of the weights
  double standard_error;  // of the log evidence
};

// The diagonal of D: the noise of the rows.
Vector noise_of_rows(const FitProblem& data);

// One latent function; throws InvalidSpec for a likelihood that is not Gaussian.
IterativeFit fit_iteratively(const FitProblem& data, const ExactOptions& options,
                             const Context& ctx);

}  // namespace gpsieve

#endif
