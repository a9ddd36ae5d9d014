// A dense Gaussian process with Gaussian noise: one Cholesky factor gives the posterior and the
// evidence, both exact (theory.md#gaussian-noise).
#ifndef GPSIEVE_MODELS_MEANFIELD_GAUSSIAN_H
#define GPSIEVE_MODELS_MEANFIELD_GAUSSIAN_H

#include <vector>

#include "base/context.h"
#include "models/fit_problem.h"
#include "models/fit_result.h"

namespace gpsieve {

// The machine of column c of y. Cavities are computed of the `judged` rows, one entry for each row,
// and are NaN for the others; empty: of all rows. Without `keep_factor` the posterior has its
// dense_scale in the place of the factor. Needs one n x n matrix. The gradient of the evidence is
// not computed.
LatentFit fit_gaussian(const FitProblem& data, Index c, const std::vector<bool>& judged,
                       bool keep_factor, const Context& ctx);

}  // namespace gpsieve

#endif
