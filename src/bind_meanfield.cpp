#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_meanfield.h"
#include "models/meanfield/meanfield.h"

using namespace gpsieve;

// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_meanfield(Rcpp::List kernel_spec, Rcpp::List likelihood_spec,
                              Rcpp::NumericMatrix x, Rcpp::NumericMatrix y, Rcpp::List cases,
                              Rcpp::NumericVector prior_mean, Rcpp::List options,
                              Rcpp::List settings) {
  const auto k = kernel(kernel_spec, x.ncol());
  const auto lik = likelihood(likelihood_spec);
  const MeanfieldFit found =
      fit_meanfield(*k, *lik, points(x), matrix(y), vector(prior_mean), meanfield_options(options),
                    context(settings), case_terms(cases));
  Rcpp::List out = wrap_fit(found.fit);
  out["corrected"] = wrap_vector(found.corrected);
  return out;
}

// The log evidence and its gradient, started from the means and cavity variances of an earlier
// call, or from zero weights if these matrices have no columns.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_meanfield_evidence(Rcpp::List kernel_spec, Rcpp::List likelihood_spec,
                                   Rcpp::NumericMatrix x, Rcpp::NumericMatrix y, Rcpp::List cases,
                                   Rcpp::NumericVector prior_mean, Rcpp::List options,
                                   Rcpp::NumericMatrix means, Rcpp::NumericMatrix cavity,
                                   Rcpp::List settings) {
  const auto k = kernel(kernel_spec, x.ncol());
  const auto lik = likelihood(likelihood_spec);
  const MeanfieldEvidence found = meanfield_evidence(
      *k, *lik, points(x), matrix(y), vector(prior_mean), meanfield_options(options),
      matrix(means), matrix(cavity), context(settings), case_terms(cases));
  return Rcpp::List::create(
      Rcpp::_["value"] = found.value, Rcpp::_["gradient"] = wrap_vector(found.gradient),
      Rcpp::_["converged"] = found.converged, Rcpp::_["means"] = wrap_matrix(found.means),
      Rcpp::_["cavity"] = wrap_matrix(found.cavity));
}
