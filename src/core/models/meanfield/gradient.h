// Gradients of the mean-field log evidences (theory.md#gradient).
#ifndef GPSIEVE_MODELS_MEANFIELD_GRADIENT_H
#define GPSIEVE_MODELS_MEANFIELD_GRADIENT_H

#include "kernel/kernel.h"
#include "models/meanfield/solution.h"

namespace gpsieve {

// The gradient of the log evidence at a fixed point by the kernel's log parameters, followed by the
// likelihood's. Overwrites the solver's work space.
Vector field_gradient(const Kernel& kernel, Points x, FieldSolver& solver, MatrixOut work,
                      FieldMethod method, const Context& ctx);

}  // namespace gpsieve

#endif
