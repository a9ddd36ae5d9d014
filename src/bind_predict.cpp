#include <Rcpp.h>

#include "base/error.h"
#include "context_r.h"
#include "convert.h"
#include "convert_posterior.h"
#include "convert_problem.h"
#include "posterior/dense_factor.h"
#include "posterior/joint_covariance.h"
#include "posterior/sparse_posterior.h"

using namespace gpsieve;

// Latent marginals of every posterior at the rows of x: list(mean, variance), n x K matrices;
// variance is NULL unless wanted.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_predict(Rcpp::List kernel_spec, Rcpp::NumericMatrix basis,
                        Rcpp::List posterior_list, Rcpp::NumericMatrix x, bool want_variance,
                        Rcpp::List settings) {
  if (basis.ncol() != x.ncol())
    throw InvalidSpec("the fit's basis and the new rows differ in width");
  const InputKernel k(kernel_spec, x.ncol());
  auto list = want_variance ? posteriors(posterior_list, k, basis.nrow(), x.ncol(), x.nrow())
                            : posterior_means(posterior_list, basis.nrow(), x.ncol());
  const Matrix points = k.points(basis);
  if (want_variance) make_factors(*k, points, list, context(settings));
  Matrix mean(x.nrow(), list.size()), variance(want_variance ? x.nrow() : 0, list.size());
  predict_marginals(*k, points, list, k.points(x), want_variance, mean, variance,
                    context(settings));
  return Rcpp::List::create(Rcpp::_["mean"] = wrap_matrix(mean),
                            Rcpp::_["variance"] = want_variance
                                                      ? Rcpp::RObject(wrap_matrix(variance))
                                                      : Rcpp::RObject(R_NilValue));
}

// Posterior covariance of the rows of x, one n x n matrix for each posterior.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_joint_covariance(Rcpp::List kernel_spec, Rcpp::NumericMatrix basis,
                                 Rcpp::List posterior_list, Rcpp::NumericMatrix x,
                                 Rcpp::List settings) {
  if (basis.ncol() != x.ncol())
    throw InvalidSpec("the fit's basis and the new rows differ in width");
  const InputKernel k(kernel_spec, x.ncol());
  auto list = posteriors(posterior_list, k, basis.nrow(), x.ncol(), x.nrow());
  const Matrix points = k.points(basis);
  make_factors(*k, points, list, context(settings));
  const auto all = joint_covariances(*k, points, list, k.points(x), context(settings));
  Rcpp::List out(static_cast<R_xlen_t>(all.size()));
  for (std::size_t c = 0; c < all.size(); ++c) out[c] = wrap_matrix(all[c]);
  return out;
}

// Columns of standard normal numbers as draws from N(0, covariance).
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_correlated_draws(Rcpp::NumericMatrix covariance,
                                          Rcpp::NumericMatrix normal, Rcpp::List settings) {
  return wrap_matrix(
      correlated_draws(matrix(covariance), matrix(normal), context(settings).threads));
}
