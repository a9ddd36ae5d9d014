#include <Rcpp.h>

#include "approx/ep_evidence.h"
#include "context_r.h"
#include "convert.h"

using namespace gpsieve;

// EP's log evidence of a FITC model, from the given sites (length 0: from none).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_ep_evidence(Rcpp::List kernel_spec, Rcpp::List likelihood_spec,
                            Rcpp::NumericMatrix inducing, Rcpp::NumericMatrix x,
                            Rcpp::NumericVector y, double prior_mean, Rcpp::List options,
                            Rcpp::NumericVector precision, Rcpp::NumericVector shift, bool gradient,
                            Rcpp::List settings) {
  const auto k = kernel(kernel_spec, x.ncol());
  const auto lik = likelihood(likelihood_spec);
  const EpEvidence found =
      ep_evidence(*k, *lik, points(inducing), points(x), vector(y), prior_mean,
                  Rcpp::as<double>(options["jitter"]),
                  {Rcpp::as<int>(options["max_passes"]), Rcpp::as<double>(options["tolerance"])},
                  vector(precision), vector(shift), gradient, context(settings));
  return Rcpp::List::create(
      Rcpp::_["value"] = found.value, Rcpp::_["kernel"] = wrap_vector(found.kernel_gradient),
      Rcpp::_["likelihood"] = wrap_vector(found.likelihood_gradient),
      Rcpp::_["converged"] = found.converged, Rcpp::_["precision"] = wrap_vector(found.precision),
      Rcpp::_["shift"] = wrap_vector(found.shift));
}
