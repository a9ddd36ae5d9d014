// The fixed points of the mean-field methods and their free energies.
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
  bool cavity_variance = false;  // predict with the variance of a new cavity field
  int max_iter = 100;            // rounds of TAP, Newton steps of the others
  double tol = 1e-8;             // TAP: largest change of a cavity variance, in units of 1 / W
};

// Where (E) is solved and the cavity variances are the method's. The solver is left with the factor
// of B there.
struct FieldSolution {
  double log_evidence;  // minus the method's free energy
  double corrected;     // minus (F0 + log|B| / 2), the linear-response correction
  bool converged;
  std::string reason;
  std::vector<TraceRow> trace;
};

// With Gaussian noise every method has the exact posterior, and the exact evidence is given.
// Throws InvalidSpec for a likelihood the method has no equations for.
FieldSolution solve_fields(FieldSolver& solver, Matrix& work, const MeanfieldOptions& options,
                           const Context& ctx);

}  // namespace gpsieve

#endif
