// A fit to all rows without n x n matrices: with Gaussian noise the exact posterior mean by
// conjugate gradients, otherwise that of the sites of TAP; variances and cavities by near rows and
// inducing rows (exact/theory.md).
#ifndef GPSIEVE_MODELS_MEANFIELD_ITERATIVE_H
#define GPSIEVE_MODELS_MEANFIELD_ITERATIVE_H

#include "exact/exact_solution.h"
#include "models/fit_problem.h"
#include "models/fit_result.h"

namespace gpsieve {

struct IterativeOptions {
  ExactOptions exact;
  // Of the sites of other likelihoods than Gaussian noise.
  int max_rounds = 100;
  double site_tol = 1e-3;
};

struct IterativeFit {
  FitResult fit;
  Vector mean, variance;  // of the latent function at the rows
  Index rounds = 0;       // in which the sites were found; 0: they are the responses
  Index steps;
  double residual;        // relative, of the weights
  double standard_error;  // of the log evidence
};

// The diagonal of D where the likelihood says it, the Gaussian noise of the rows; 0 elsewhere.
Vector noise_of_rows(const FitProblem& data);

// One latent function; throws InvalidSpec for a likelihood that is not log-concave.
IterativeFit fit_iteratively(const FitProblem& data, const IterativeOptions& options,
                             const Context& ctx);

}  // namespace gpsieve

#endif
