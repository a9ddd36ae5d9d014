#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_problem.h"
#include "likelihood/predictions.h"

using namespace gpsieve;

namespace {

// Integrals of many rows that can be interrupted, by one thread.
Context interruptible() {
  return context(
      Rcpp::List::create(Rcpp::Named("threads") = 1, Rcpp::Named("progress") = R_NilValue));
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_log_probability(Rcpp::List likelihood_spec, Rcpp::NumericVector mean,
                                         Rcpp::NumericVector variance) {
  return wrap_matrix(
      log_probabilities(*likelihood(likelihood_spec), vector(mean), vector(variance)));
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_log_density(Rcpp::List likelihood_spec, Rcpp::NumericMatrix y,
                                     Rcpp::NumericVector mean, Rcpp::NumericVector variance) {
  return wrap_vector(
      log_densities(*likelihood(likelihood_spec), matrix(y), vector(mean), vector(variance)));
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_argmax_probability(Rcpp::List likelihood_spec, Rcpp::NumericMatrix mean,
                                            Rcpp::NumericMatrix variance, Rcpp::List settings) {
  const double noise = likelihood(likelihood_spec)->step_noise();
  return wrap_matrix(
      log_argmax_probabilities(noise, matrix(mean), matrix(variance), context(settings)));
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_response(Rcpp::List likelihood_spec, Rcpp::NumericVector mean,
                                  Rcpp::NumericVector variance) {
  return wrap_matrix(response_moments(*likelihood(likelihood_spec), vector(mean), vector(variance),
                                      interruptible()));
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_cdf(Rcpp::List likelihood_spec, Rcpp::NumericVector y,
                             Rcpp::NumericVector mean, Rcpp::NumericVector variance) {
  return wrap_vector(response_cdf(*likelihood(likelihood_spec), vector(y), vector(mean),
                                  vector(variance), interruptible()));
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_quantile(Rcpp::List likelihood_spec, Rcpp::NumericVector mean,
                                  Rcpp::NumericVector variance, Rcpp::NumericVector probs) {
  return wrap_matrix(response_quantiles(*likelihood(likelihood_spec), vector(mean),
                                        vector(variance), vector(probs), interruptible()));
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_entropy(Rcpp::List likelihood_spec, Rcpp::NumericVector mean,
                                 Rcpp::NumericVector variance, bool information,
                                 Rcpp::List settings) {
  return wrap_vector(response_entropies(*likelihood(likelihood_spec), vector(mean),
                                        vector(variance), information, context(settings)));
}

// [[Rcpp::export(rng = false)]]
Rcpp::CharacterVector core_likelihoods() { return Rcpp::wrap(registered_likelihoods()); }

// [[Rcpp::export(rng = false)]]
Rcpp::List core_likelihood_traits(Rcpp::List likelihood_spec) {
  const auto known = likelihood(likelihood_spec);
  return Rcpp::List::create(Rcpp::Named("log_concave") = known->log_concave(),
                            Rcpp::Named("count") = known->response() == Response::count,
                            Rcpp::Named("binary") = known->response() == Response::binary,
                            Rcpp::Named("gaussian") = known->gaussian(),
                            Rcpp::Named("columns") = static_cast<int>(known->columns()));
}
