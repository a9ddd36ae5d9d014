#include "convert.h"

#include <algorithm>

#include "base/large_pages.h"

namespace gpsieve {

Matrix matrix(const Rcpp::NumericMatrix& x) {
  Matrix out = large_matrix(x.nrow(), x.ncol());
  out = Eigen::Map<const Matrix>(x.begin(), x.nrow(), x.ncol());
  return out;
}

Vector vector(const Rcpp::NumericVector& x) {
  return Eigen::Map<const Vector>(x.begin(), x.size());
}

Rcpp::NumericMatrix wrap_matrix(const Matrix& x) {
  Rcpp::NumericMatrix out(Rcpp::no_init(static_cast<int>(x.rows()), static_cast<int>(x.cols())));
  request_large_pages(out.begin(), sizeof(double) * static_cast<std::size_t>(x.size()));
  std::copy(x.data(), x.data() + x.size(), out.begin());
  return out;
}

Rcpp::NumericVector wrap_vector(const Vector& x) {
  return Rcpp::NumericVector(x.data(), x.data() + x.size());
}

Rcpp::IntegerVector wrap_rows(const Indices& rows) {
  Rcpp::IntegerVector out(static_cast<R_xlen_t>(rows.size()));
  std::transform(rows.begin(), rows.end(), out.begin(),
                 [](Index row) { return static_cast<int>(row) + 1; });
  return out;
}

Indices row_numbers(const Rcpp::IntegerVector& rows, Index n) {
  Indices out;
  for (const int row : rows) {
    if (row == NA_INTEGER || row < 1 || row > n)
      throw InvalidSpec("a row number is not among the rows");
    out.push_back(row - 1);
  }
  return out;
}

std::vector<Indices> row_lists(const Rcpp::List& lists, Index n) {
  std::vector<Indices> out;
  for (R_xlen_t i = 0; i < lists.size(); ++i) out.push_back(row_numbers(lists[i], n));
  return out;
}

}  // namespace gpsieve
