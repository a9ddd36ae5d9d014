#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "likelihood/likelihood.h"
#include "math/argmax_probability.h"

using namespace gpsieve;

// log P(y = +1) and log P(y = -1) under f ~ N(mean, variance), as the columns of an n x 2 matrix.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_log_probability(Rcpp::List likelihood_spec, Rcpp::NumericVector mean,
                                         Rcpp::NumericVector variance) {
  const auto lik = likelihood(likelihood_spec);
  Matrix out(mean.size(), 2);
  for (Index i = 0; i < out.rows(); ++i) {
    out(i, 0) = lik->tilted(1.0, mean[i], variance[i]).log_z;
    out(i, 1) = lik->tilted(-1.0, mean[i], variance[i]).log_z;
  }
  return wrap_matrix(out);
}

// log of the predictive density of y under f ~ N(mean, variance), element by element.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_log_density(Rcpp::List likelihood_spec, Rcpp::NumericVector y,
                                     Rcpp::NumericVector mean, Rcpp::NumericVector variance) {
  const auto lik = likelihood(likelihood_spec);
  Vector log_z(y.size()), d1(y.size()), d2(y.size());
  lik->tilted(vector(y), vector(mean), vector(variance), log_z, d1, d2);
  return wrap_vector(log_z);
}

// log P(class k's latent function is the largest), n x K, under independent marginals N(mean,
// variance) and noise shared out between the functions.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_argmax_probability(Rcpp::List likelihood_spec, Rcpp::NumericMatrix mean,
                                            Rcpp::NumericMatrix variance) {
  const double noise = std::exp(likelihood(likelihood_spec)->params()[0]);
  const Matrix m = matrix(mean).transpose();
  const Matrix v = matrix(variance).transpose().array() + 0.5 * noise;
  Matrix out(m.cols(), m.rows());
  for (Index i = 0; i < out.rows(); ++i)
    for (Index k = 0; k < out.cols(); ++k)
      out(i, k) = log_argmax_probability(k, m.col(i), v.col(i));
  return wrap_matrix(out);
}

// Mean and variance of the response, as the columns of an n x 2 matrix.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_response(Rcpp::List likelihood_spec, Rcpp::NumericVector mean,
                                  Rcpp::NumericVector variance) {
  const auto lik = likelihood(likelihood_spec);
  Matrix out(mean.size(), 2);
  for (Index i = 0; i < out.rows(); ++i) {
    const Predicted response = lik->predict(mean[i], variance[i]);
    out(i, 0) = response.mean;
    out(i, 1) = response.variance;
  }
  return wrap_matrix(out);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_quantile(Rcpp::List likelihood_spec, Rcpp::NumericVector mean,
                                  Rcpp::NumericVector variance, Rcpp::NumericVector probs) {
  const auto lik = likelihood(likelihood_spec);
  Matrix out(mean.size(), probs.size());
  for (Index j = 0; j < out.cols(); ++j)
    for (Index i = 0; i < out.rows(); ++i)
      out(i, j) = lik->quantile(probs[j], mean[i], variance[i]);
  return wrap_matrix(out);
}

// The response's predictive entropy, or the information it holds about f ~ N(mean, variance).
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_entropy(Rcpp::List likelihood_spec, Rcpp::NumericVector mean,
                                 Rcpp::NumericVector variance, bool information,
                                 Rcpp::List settings) {
  const auto lik = likelihood(likelihood_spec);
  const Context ctx = context(settings);
  Vector out(mean.size());
  for (Index i = 0; i < out.size(); ++i, ctx.check())
    out(i) = information ? lik->information(mean[i], variance[i])
                         : lik->predictive_entropy(mean[i], variance[i]);
  return wrap_vector(out);
}

// [[Rcpp::export(rng = false)]]
Rcpp::CharacterVector core_likelihoods() { return Rcpp::wrap(registered_likelihoods()); }
