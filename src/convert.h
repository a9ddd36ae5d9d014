// The only place that knows both R's objects and the core's types.
#ifndef GPSIEVE_CONVERT_H
#define GPSIEVE_CONVERT_H

#include <Rcpp.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/types.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/fit_result.h"
#include "models/online/online.h"

namespace gpsieve {

// R's n x p matrix of rows as the core's p x n matrix of columns: the one transpose there is.
Matrix points(const Rcpp::NumericMatrix& x);
// The same of standardised columns, (x - center) / scale.
Matrix points(const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& center,
              const Rcpp::NumericVector& scale);
Matrix matrix(const Rcpp::NumericMatrix& x);
Vector vector(const Rcpp::NumericVector& x);
Rcpp::NumericMatrix wrap_matrix(const Matrix& x);
Rcpp::NumericVector wrap_vector(const Vector& x);
Rcpp::IntegerVector wrap_rows(const Indices& rows);  // 1-based
// 1-based row numbers of n rows, checked, and a list of such vectors.
Indices row_numbers(const Rcpp::IntegerVector& rows, Index n);
std::vector<Indices> row_lists(const Rcpp::List& lists, Index n);
// A list with wrap(item) for each item.
template <class Item, class Wrap>
Rcpp::List wrap_each(const std::vector<Item>& items, const Wrap& wrap) {
  Rcpp::List out(static_cast<R_xlen_t>(items.size()));
  for (R_xlen_t i = 0; i < out.size(); ++i) out[i] = wrap(items[i]);
  return out;
}

// What the name in a list's field stands for.
template <class Choice>
Choice choice(const Rcpp::List& list, const char* field,
              const std::vector<std::pair<const char*, Choice>>& known) {
  const std::string name = Rcpp::as<std::string>(list[field]);
  for (const auto& entry : known)
    if (name == entry.first) return entry.second;
  throw InvalidSpec("unknown " + std::string(field) + " '" + name + "'");
}

std::unique_ptr<Kernel> kernel(const Rcpp::List& spec, Index p);
std::unique_ptr<Likelihood> likelihood(const Rcpp::List& spec);

Rcpp::List wrap_fit(const FitResult& fit);
// Checks every size and index: a damaged object is an InvalidSpec, never a crash.
std::vector<SparsePosterior> posteriors(const Rcpp::List& list, Index basis_size, Index width);

// What an online model goes on from; the core checks it. Basis, weights,
// form and whitening are part of the posterior that goes with a state and are not wrapped twice.
std::vector<OnlineState> online_states(const Rcpp::List& list);
Rcpp::List wrap_online_states(const std::vector<OnlineState>& states);

}  // namespace gpsieve

#endif
