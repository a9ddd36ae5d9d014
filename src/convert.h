// The only place that knows both R's objects and the core's types.
#ifndef GPSIEVE_CONVERT_H
#define GPSIEVE_CONVERT_H

#include <Rcpp.h>

#include <memory>
#include <vector>

#include "base/types.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/fit_result.h"
#include "models/online.h"

namespace gpsieve {

// R's n x p matrix of rows as the core's p x n matrix of columns: the one transpose there is.
Matrix points(const Rcpp::NumericMatrix& x);
Matrix matrix(const Rcpp::NumericMatrix& x);
Vector vector(const Rcpp::NumericVector& x);
Rcpp::NumericMatrix wrap_matrix(const Matrix& x);
Rcpp::NumericVector wrap_vector(const Vector& x);
Rcpp::IntegerVector wrap_rows(const Indices& rows);  // 1-based

std::unique_ptr<Kernel> kernel(const Rcpp::List& spec, Index p);
std::unique_ptr<Likelihood> likelihood(const Rcpp::List& spec);

Rcpp::List wrap_fit(const FitResult& fit);
// Checks every size and index: a damaged object is an InvalidSpec, never a crash.
std::vector<SparsePosterior> posteriors(const Rcpp::List& list, Index basis_size);

// What an online model goes on from; the core checks it. Basis, weights,
// form and whitening are part of the posterior that goes with a state and are not wrapped twice.
std::vector<OnlineState> online_states(const Rcpp::List& list);
Rcpp::List wrap_online_states(const std::vector<OnlineState>& states);

}  // namespace gpsieve

#endif
