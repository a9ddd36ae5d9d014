// Conversion between R's vectors, matrices and lists and the core's.
#ifndef GPSIEVE_CONVERT_H
#define GPSIEVE_CONVERT_H

#include <Rcpp.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/types.h"

namespace gpsieve {

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

// The value that the name in a field of a list stands for; InvalidSpec for names that are not
// known.
template <class Choice>
Choice choice(const Rcpp::List& list, const char* field,
              const std::vector<std::pair<const char*, Choice>>& known) {
  const std::string name = Rcpp::as<std::string>(list[field]);
  for (const auto& entry : known)
    if (name == entry.first) return entry.second;
  throw InvalidSpec("unknown " + std::string(field) + " '" + name + "'");
}

}  // namespace gpsieve

#endif
