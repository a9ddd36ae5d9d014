#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_ep.h"
#include "sparse_ep/converged_evidence.h"

using namespace gpsieve;

// The evidence of EP run to convergence, from the given initial sites (no rows: uniform sites).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_ep_evidence(Rcpp::List kernel_spec, Rcpp::List likelihood_spec,
                            Rcpp::NumericMatrix inducing, Rcpp::NumericMatrix x,
                            Rcpp::NumericMatrix y, Rcpp::List cases, Rcpp::NumericVector prior_mean,
                            Rcpp::List options, Rcpp::NumericMatrix precision,
                            Rcpp::NumericMatrix shift, bool by_inputs, Rcpp::List settings) {
  const auto k = kernel(kernel_spec, x.ncol());
  const Matrix responses = matrix(y);
  const auto f = ep_factors(likelihood_spec, options, responses, prior_mean, case_terms(cases));
  const ConvergedEvidence found = converged_evidence(
      *k, *f, points(x), points(inducing), Rcpp::as<double>(options["jitter"]),
      {Rcpp::as<int>(options["max_passes"]), Rcpp::as<double>(options["tolerance"]), 1.0,
       Rcpp::as<double>(options["log_z_tolerance"])},
      {matrix(precision), matrix(shift)}, true, by_inputs, context(settings));
  Rcpp::List out = wrap_ep_evidence(found.evidence);
  out["converged"] = found.converged;
  out["precision"] = wrap_matrix(found.sites.precision);
  out["shift"] = wrap_matrix(found.sites.shift);
  return out;
}
