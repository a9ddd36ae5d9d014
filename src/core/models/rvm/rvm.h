// The relevance vector machine (theory.md): a linear model in basis functions with a separate prior
// precision for every weight. The precisions are learned by batch EM, by subspace EM
// (Quinonero-Candela & Winther 2002) or by fast updates (Tipping & Faul 2003). Regression has
// Gaussian noise, classification a probit likelihood and mean-field inference.
#ifndef GPSIEVE_MODELS_RVM_RVM_H
#define GPSIEVE_MODELS_RVM_RVM_H

#include <cstdint>

#include "base/context.h"
#include "models/fit_problem.h"
#include "models/fit_result.h"
#include "models/rvm/options.h"

namespace gpsieve {

// Fits one model per column of y. All have the same candidate functions: an intercept, if the
// options ask for one, and k(x, c) for every column c of `centres`, or for every training input if
// `centres` has no columns. The noise variance of a regression is learned if the options ask for it
// and is returned in likelihood_params. Every model has a stream of random numbers of its own, of
// which the first column of y has number `first_machine`. Throws InvalidSpec unless the likelihood
// is Gaussian or probit.
FitResult fit_rvm(const FitProblem& problem, Points centres, const RvmOptions& options,
                  std::uint64_t seed, const Context& ctx, Index first_machine = 0);

}  // namespace gpsieve

#endif
