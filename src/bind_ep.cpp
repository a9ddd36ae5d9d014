#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_ep.h"
#include "models/ep/ep.h"

using namespace gpsieve;

// x on the user's scale, and the scales that standardise it. `held_out`: list(raw, y, cases), or
// NULL.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_ep(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::NumericMatrix x,
                       Rcpp::List scales, Rcpp::NumericMatrix y, Rcpp::List cases,
                       Rcpp::NumericMatrix inducing, Rcpp::RObject held_out,
                       Rcpp::NumericVector prior_mean, Rcpp::List options, double seed,
                       Rcpp::List settings) {
  const auto k = kernel(kernel_spec, x.ncol());
  const Matrix responses = matrix(y);
  const auto f = ep_factors(likelihood_spec, options, responses, prior_mean, case_terms(cases));
  Matrix other_points(x.ncol(), 0), other_responses(0, y.ncol());
  std::unique_ptr<Factors> others;
  double other_weight = 0.0;
  if (!held_out.isNULL()) {
    const Rcpp::List part(held_out);
    other_points = points(part["raw"], scales["center"], scales["scale"]);
    other_responses = matrix(part["y"]);
    const CaseTerms other_cases = case_terms(part["cases"]);
    others = ep_factors(likelihood_spec, options, other_responses, prior_mean, other_cases);
    other_weight = other_cases.weight.sum();
  }
  const EpFit fit = fit_ep(*k, *f, points(x, scales["center"], scales["scale"]), points(inducing),
                           {others.get(), other_points, other_weight}, ep_fit_options(options),
                           static_cast<std::uint64_t>(seed), context(settings));
  Rcpp::List out = wrap_fit(fit.result);
  out["evidence"] = wrap_ep_evidence(fit.evidence);
  out["kernel_theta"] = wrap_vector(fit.kernel_params);
  out["likelihood_theta"] = wrap_vector(fit.likelihood_params);
  out["jitter"] = fit.jitter;
  return out;
}
