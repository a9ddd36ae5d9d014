// What expectation propagation is asked and what it answers, between R's lists and the core's
// types.
#ifndef GPSIEVE_CONVERT_EP_H
#define GPSIEVE_CONVERT_EP_H

#include <Rcpp.h>

#include <memory>

#include "models/ep/ep.h"

namespace gpsieve {

EpFitOptions ep_fit_options(const Rcpp::List& list);
// One latent function per column of y, or (`joint`) one per class with a label per row.
std::unique_ptr<Factors> ep_factors(const Rcpp::List& likelihood_spec, const Rcpp::List& options,
                                    const Matrix& y, const Rcpp::NumericVector& prior_mean);
Rcpp::List wrap_ep_evidence(const EpEvidence& evidence);

}  // namespace gpsieve

#endif
