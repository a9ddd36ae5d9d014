// The sites of TAP mean field for all rows without n x n matrices
// (exact/theory.md#other-likelihoods).
#ifndef GPSIEVE_MODELS_MEANFIELD_ITERATIVE_SITES_H
#define GPSIEVE_MODELS_MEANFIELD_ITERATIVE_SITES_H

#include <string>

#include "exact/exact_solution.h"
#include "models/fit_problem.h"

namespace gpsieve {

// Sites of all copies of a row, the mean without the prior mean: the precision and the mean of a
// Gaussian observation of its latent function.
struct RowSites {
  Vector precision, mean;
};

// Latent functions without one copy of their row, the mean without the prior mean.
struct RowCavities {
  Vector mean, variance;
};

// Of the solution with the sites' observations, given the case weights and the prior variances.
RowCavities cavities_without_copy(const ExactSolution& solution, const RowSites& sites,
                                  VectorIn copies, VectorIn prior);

// What the likelihood says of one copy of each row at its cavity.
struct TiltedRows {
  Vector log_z, slope, curvature;  // log Z_i, its derivative, minus its second derivative
};

TiltedRows tilted_rows(const FitProblem& data, const RowCavities& cavities, const Context& ctx);

struct SitesFound {
  RowSites sites;
  Index rounds = 0;
  bool converged = false;
  std::string reason;
};

// Sites whose moments agree with the likelihood's at the cavities, to tol in units of the cavities'
// scale. One latent function, a log-concave likelihood; `prior`: its variance at every row.
SitesFound find_sites(const FitProblem& data, const ExactSolver& solver, VectorIn prior,
                      int max_rounds, double tol, const Context& ctx);

}  // namespace gpsieve

#endif
