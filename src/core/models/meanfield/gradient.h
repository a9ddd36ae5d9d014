// Gradients of the mean-field log evidences (math: mean field, section 2).
#ifndef GPSIEVE_MODELS_MEANFIELD_GRADIENT_H
#define GPSIEVE_MODELS_MEANFIELD_GRADIENT_H

#include "kernel/kernel.h"
#include "models/meanfield/solution.h"

namespace gpsieve {

// Of the log evidence at a fixed point, by the kernel's log parameters, then the likelihood's.
// Overwrites the solver's work space; the matrix of weights on dK is never made as a whole.
Vector field_gradient(const Kernel& kernel, Points x, FieldSolver& solver, Matrix& work,
                      FieldMethod method, const Context& ctx);

}  // namespace gpsieve

#endif
