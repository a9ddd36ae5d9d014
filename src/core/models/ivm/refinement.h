// EP over all rows with the active points as inducing inputs: theory.md#refinement.
#ifndef GPSIEVE_MODELS_IVM_REFINEMENT_H
#define GPSIEVE_MODELS_IVM_REFINEMENT_H

#include "base/context.h"
#include "base/rng.h"
#include "kernel/bound_kernel.h"
#include "likelihood/case_terms.h"
#include "likelihood/likelihood.h"
#include "models/fit_result.h"
#include "models/ivm/ivm.h"

namespace gpsieve {

// Replaces the posterior of a finished selection by that of options.refine passes, and of as many
// more as sites need that these have not settled: false where they have not settled then. 0 passes
// change nothing, and neither does a selection that has found the exact posterior (Gaussian noise,
// all rows active), unless the cavities are wanted. With a likelihood that is not log-concave, rows
// that `rng` draws take the places of active points that the selection did not find.
bool refine(const BoundKernel& kernel, const Likelihood& likelihood, MatrixIn y,
            const CaseTerms& cases, const IvmOptions& options, Rng rng, LatentFit& fit,
            const Context& ctx);

}  // namespace gpsieve

#endif
