// What a likelihood says about many rows at once, given their latent marginals N(mean, variance).
#ifndef GPSIEVE_LIKELIHOOD_PREDICTIONS_H
#define GPSIEVE_LIKELIHOOD_PREDICTIONS_H

#include "base/context.h"
#include "base/types.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

// log P(y = +1) and log P(y = -1), n x 2.
Matrix log_probabilities(const Likelihood& likelihood, VectorIn mean, VectorIn variance);
// log of the predictive density of y.
Vector log_densities(const Likelihood& likelihood, VectorIn y, VectorIn mean, VectorIn variance);
// log P(class k's latent function is the largest), n x K like mean and variance, when `noise` is
// shared out between every two functions.
Matrix log_argmax_probabilities(double noise, MatrixIn mean, MatrixIn variance);
// Mean and variance of the response, n x 2.
Matrix response_moments(const Likelihood& likelihood, VectorIn mean, VectorIn variance);
// n x probs.size()
Matrix response_quantiles(const Likelihood& likelihood, VectorIn mean, VectorIn variance,
                          VectorIn probs);
// The response's predictive entropy, or the information it holds about the latent function.
Vector response_entropies(const Likelihood& likelihood, VectorIn mean, VectorIn variance,
                          bool information, const Context& ctx);

}  // namespace gpsieve

#endif
