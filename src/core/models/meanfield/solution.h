// The fixed points of the mean-field methods and their free energies (theory.md#methods).
#ifndef GPSIEVE_MODELS_MEANFIELD_SOLUTION_H
#define GPSIEVE_MODELS_MEANFIELD_SOLUTION_H

#include <string>
#include <vector>

#include "models/fit_result.h"
#include "models/meanfield/fields.h"

namespace gpsieve {

enum class FieldMethod { tap, ensemble, naive, laplace };

struct MeanfieldOptions {
  FieldMethod method = FieldMethod::tap;
  bool cavity_variance = false;  // predict with the variance of a field without likelihood
  int max_iter = 100;            // rounds of TAP, or Newton steps of the other methods
  double tol = 1e-7;             // TAP: largest change of a cavity variance, in units of 1 / W
  bool gradient = true;          // is the gradient of the evidence of the fit wanted?
  bool keep_factor = true;       // or SparsePosterior::dense_scale in its place?
};

// Means m and cavity variances s of every row, a column for each machine, from which an evaluation
// may start. Matrices of no columns: it starts from zero weights.
struct MeanfieldStart {
  Matrix means, cavity;
};

// A solution of the mean-field equations whose cavity variances are those of the method. The solver
// is left with the factor of B there.
struct FieldSolution {
  double log_evidence;  // minus the free energy of the method
  double corrected;     // -(F0 + log|B| / 2), the evidence with the linear-response correction
  bool converged;
  std::string reason;
  std::vector<TraceRow> trace;
};

// With Gaussian noise every method gives the exact posterior and the exact evidence. Throws
// InvalidSpec for a likelihood that is not log-concave, and for the ensemble without a probit.
FieldSolution solve_fields(FieldSolver& solver, MatrixOut work, const MeanfieldOptions& options,
                           const Context& ctx);

}  // namespace gpsieve

#endif
