// Factors of one latent function each: p(y_ik | f_ik)^power for K responses of every row. K = 1 is
// a plain model, K > 1 one machine per class against the rest.
#ifndef GPSIEVE_SPARSE_EP_LIKELIHOOD_FACTORS_H
#define GPSIEVE_SPARSE_EP_LIKELIHOOD_FACTORS_H

#include <memory>

#include "likelihood/powered.h"
#include "sparse_ep/factors.h"

namespace gpsieve {

// y: rows x K; prior_mean: one per latent function. y must outlive the factors.
std::unique_ptr<Factors> likelihood_factors(const Likelihood& likelihood, MatrixIn y,
                                            VectorIn prior_mean);
// The same with a likelihood of their own, whose parameters can be set.
std::unique_ptr<Factors> likelihood_factors(const LikelihoodMaker& likelihood, double power,
                                            MatrixIn y, VectorIn prior_mean);

}  // namespace gpsieve

#endif
