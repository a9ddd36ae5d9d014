#include <Rcpp.h>

#include "convert.h"
#include "math/column_scales.h"

using namespace gpsieve;

// Mean, standard deviation and range of every column, and the first column that is not all finite
// (0: none).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_column_scales(Rcpp::NumericMatrix x) {
  const ColumnScales found = column_scales(x.begin(), x.nrow(), x.ncol());
  return Rcpp::List::create(Rcpp::_["center"] = wrap_vector(found.center),
                            Rcpp::_["scale"] = wrap_vector(found.scale),
                            Rcpp::_["lowest"] = wrap_vector(found.lowest),
                            Rcpp::_["highest"] = wrap_vector(found.highest),
                            Rcpp::_["not_finite"] = static_cast<double>(found.not_finite + 1));
}

// (x - center) / scale, column by column, as a new matrix with the names of x.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_apply_scales(Rcpp::NumericMatrix x, Rcpp::NumericVector center,
                                      Rcpp::NumericVector scale) {
  Rcpp::NumericMatrix out(Rcpp::no_init(x.nrow(), x.ncol()));
  const R_xlen_t n = x.nrow();
  for (R_xlen_t j = 0; j < x.ncol(); ++j) {
    const double c = center[j], s = scale[j];
    std::transform(x.begin() + j * n, x.begin() + (j + 1) * n, out.begin() + j * n,
                   [c, s](double value) { return (value - c) / s; });
  }
  if (x.hasAttribute("dimnames")) out.attr("dimnames") = x.attr("dimnames");
  return out;
}
