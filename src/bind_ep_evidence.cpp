#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_ep.h"
#include "convert_problem.h"
#include "sparse_ep/converged_evidence.h"

using namespace gpsieve;

// The evidence of EP run to convergence. data: list(x, y, cases, prior_mean); sites:
// list(precision, shift), the initial ones (no rows: uniform sites).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_ep_evidence(Rcpp::List kernel_spec, Rcpp::List likelihood_spec,
                            Rcpp::NumericMatrix inducing, Rcpp::List data, Rcpp::List sites,
                            Rcpp::List options, Rcpp::List settings) {
  const InputKernel k(kernel_spec, inducing.ncol());
  const Matrix responses = matrix(data["y"]);
  const auto f = ep_factors(likelihood_spec, options, responses, data["prior_mean"],
                            case_terms(data["cases"]));
  const ConvergedOptions how{
      Rcpp::as<double>(options["jitter"]),
      {Rcpp::as<int>(options["max_passes"]), Rcpp::as<double>(options["tolerance"]), 1.0,
       Rcpp::as<double>(options["log_z_tolerance"])},
      true,
      Rcpp::as<bool>(options["by_inputs"])};
  const ConvergedEvidence found =
      converged_evidence(*k, *f, k.points(data["x"]), k.points(inducing), how,
                         {matrix(sites["precision"]), matrix(sites["shift"])}, context(settings));
  Rcpp::List out = wrap_ep_evidence(found.evidence);
  out["converged"] = found.converged;
  out["precision"] = wrap_matrix(found.sites.precision);
  out["shift"] = wrap_matrix(found.sites.shift);
  return out;
}
