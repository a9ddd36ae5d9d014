// Predictions for many rows from a likelihood and the rows' latent marginals N(mean, variance).
#ifndef GPSIEVE_LIKELIHOOD_PREDICTIONS_H
#define GPSIEVE_LIKELIHOOD_PREDICTIONS_H

#include "base/context.h"
#include "base/types.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

// log P(y = +1) and log P(y = -1), n x 2.
Matrix log_probabilities(const Likelihood& likelihood, VectorIn mean, VectorIn variance);
// log of the predictive density of y, which has the columns of the likelihood.
Vector log_densities(const Likelihood& likelihood, MatrixIn y, VectorIn mean, VectorIn variance);
// log P(the latent function of class c is the largest), n x K like `mean` and `variance`, where
// half of `noise` is added to the variance of every function.
Matrix log_argmax_probabilities(double noise, MatrixIn mean, MatrixIn variance,
                                const Context& ctx = Context());
// Mean and variance of the response, n x 2.
Matrix response_moments(const Likelihood& likelihood, VectorIn mean, VectorIn variance,
                        const Context& ctx = Context());
// The predictive distribution function at y.
Vector response_cdf(const Likelihood& likelihood, VectorIn y, VectorIn mean, VectorIn variance,
                    const Context& ctx = Context());
// n x probs.size()
Matrix response_quantiles(const Likelihood& likelihood, VectorIn mean, VectorIn variance,
                          VectorIn probs, const Context& ctx = Context());
// The predictive entropy of the response, or its mutual information with the latent function.
Vector response_entropies(const Likelihood& likelihood, VectorIn mean, VectorIn variance,
                          bool information, const Context& ctx);

}  // namespace gpsieve

#endif
