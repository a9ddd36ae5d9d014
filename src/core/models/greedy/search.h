// The two searches behind fit_greedy(): regression by the forms Q and Q*, other likelihoods by
// sparse Newton.
#ifndef GPSIEVE_MODELS_GREEDY_SEARCH_H
#define GPSIEVE_MODELS_GREEDY_SEARCH_H

#include "base/rng.h"
#include "kernel/bound_kernel.h"
#include "likelihood/case_terms.h"
#include "models/greedy/greedy.h"

namespace gpsieve {

// With case weights w the rows of `kernel` have the scales sqrt(w).
GreedyLatent fit_greedy_regression(const BoundKernel& kernel, const Likelihood& likelihood,
                                   MatrixIn y, double prior_mean, const GreedyOptions& options,
                                   Rng rng, const Context& ctx, const CaseTerms& cases);

GreedyLatent fit_greedy_newton(const BoundKernel& kernel, const Likelihood& likelihood, MatrixIn y,
                               double prior_mean, const GreedyOptions& options, Rng rng,
                               const Context& ctx, const CaseTerms& cases);

// The size at which a search stops for good.
Index greedy_capacity(const GreedyOptions& options, Index n);

// Writes the reason why the search stopped: all candidates were rejected (a valid fit), or the
// largest basis was reached before the gap was small enough (not converged).
void explain_stop(bool exhausted, bool gap_reached, const GreedyOptions& options,
                  GreedyLatent& latent);

}  // namespace gpsieve

#endif
