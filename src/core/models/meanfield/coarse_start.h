// Where TAP begins: at the solution on every fourth row (theory.md#start-on-fewer-rows).
#ifndef GPSIEVE_MODELS_MEANFIELD_COARSE_START_H
#define GPSIEVE_MODELS_MEANFIELD_COARSE_START_H

#include "models/meanfield/solution.h"

namespace gpsieve {

// Gives the solver cavity variances and weights to start from. Leaves it as it was where there are
// few rows, or where the fewer rows have no solution. Overwrites `work`, the solver's work space.
void start_from_fewer_rows(FieldSolver& solver, MatrixOut work, const MeanfieldOptions& options,
                           const Context& ctx);

}  // namespace gpsieve

#endif
