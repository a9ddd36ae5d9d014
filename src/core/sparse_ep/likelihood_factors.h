// Exact factors of one latent function each: p(y_ic | f_ic)^power for the response of row i to
// latent function c. Several latent functions are one machine per class against the rest.
#ifndef GPSIEVE_SPARSE_EP_LIKELIHOOD_FACTORS_H
#define GPSIEVE_SPARSE_EP_LIKELIHOOD_FACTORS_H

#include <memory>

#include "likelihood/case_terms.h"
#include "likelihood/powered.h"
#include "sparse_ep/factors.h"

namespace gpsieve {

// y: a row for each row, with the likelihood's columns for each latent function; prior_mean: one
// per latent function. y and the likelihood must outlive the factors.
std::unique_ptr<Factors> likelihood_factors(const Likelihood& likelihood, MatrixIn y,
                                            VectorIn prior_mean, const CaseTerms& cases = {});
// The factors make a likelihood for themselves, whose parameters set_params() changes, and raise it
// to `power` (theory.md#power-ep).
std::unique_ptr<Factors> likelihood_factors(const LikelihoodMaker& likelihood, double power,
                                            MatrixIn y, VectorIn prior_mean,
                                            const CaseTerms& cases = {});

// Factors of so many rows whose responses come later, by Factors::hold().
std::unique_ptr<Factors> likelihood_factors(const LikelihoodMaker& likelihood, double power,
                                            Index rows, VectorIn prior_mean);

}  // namespace gpsieve

#endif
