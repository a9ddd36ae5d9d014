// The relevance vector machine: a linear model in basis functions whose weights have a prior
// precision each, learned by EM on all functions at once, by subspace EM (Quinonero-Candela &
// Winther 2002) or by the fast updates of Tipping & Faul (2003). Classification by mean-field
// inference with a probit likelihood.
#ifndef GPSIEVE_MODELS_RVM_RVM_H
#define GPSIEVE_MODELS_RVM_RVM_H

#include <cstdint>

#include "base/context.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/fit_result.h"
#include "models/rvm/options.h"

namespace gpsieve {

// One machine per column of y, which share the candidate functions: an intercept (if wanted) and
// k(x, c) for every column c of `centres`; without centres every training point is one. Gaussian
// noise is learned along with the precisions if the options say so and comes back in
// likelihood_params. Other likelihoods than Gaussian and probit are an InvalidSpec.
FitResult fit_rvm(const Kernel& kernel, const Likelihood& likelihood, Points x, MatrixIn y,
                  VectorIn prior_mean, Points centres, const RvmOptions& options,
                  std::uint64_t seed, const Context& ctx);

}  // namespace gpsieve

#endif
