// Conversion of the settings and the results of expectation propagation between R's lists and the
// core's types.
#ifndef GPSIEVE_CONVERT_EP_H
#define GPSIEVE_CONVERT_EP_H

#include <Rcpp.h>

#include <memory>

#include "likelihood/case_terms.h"
#include "models/ep/ep.h"

namespace gpsieve {

EpFitOptions ep_fit_options(const Rcpp::List& list);
// y: rows x latent functions; with options$joint its columns are indicators of the classes, and
// there are no offsets.
std::unique_ptr<Factors> ep_factors(const Rcpp::List& likelihood_spec, const Rcpp::List& options,
                                    const Matrix& y, const Rcpp::NumericVector& prior_mean,
                                    const CaseTerms& cases);
Rcpp::List wrap_ep_evidence(const EpEvidence& evidence);

}  // namespace gpsieve

#endif
