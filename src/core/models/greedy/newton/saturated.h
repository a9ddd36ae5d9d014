// The largest log likelihood that any latent function has, for densities that are log-concave in f:
// theory.md, "The gradient bound". A negative log posterior is at least its negative, whatever the
// unit of the responses and the constants of the density are.
#ifndef GPSIEVE_MODELS_GREEDY_NEWTON_SATURATED_H
#define GPSIEVE_MODELS_GREEDY_NEWTON_SATURATED_H

#include "base/context.h"
#include "likelihood/case_terms.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

// The largest log p(y | f) over f, searched from `start`.
double largest_log_density(const Likelihood& likelihood, Observed y, double start);

// The sum of the largest log densities of all rows of y, in which each counts as its weight says.
double saturated_log_likelihood(const Likelihood& likelihood, MatrixIn y, const CaseTerms& cases,
                                double prior_mean, const Context& ctx);

}  // namespace gpsieve

#endif
