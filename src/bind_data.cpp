#include <Rcpp.h>

#include "convert.h"
#include "math/column_scales.h"

using namespace gpsieve;

namespace {

Rcpp::List wrap_scales(const ColumnScales& found) {
  Vector scale(found.mean.size());
  for (Index j = 0; j < scale.size(); ++j) scale[j] = found.scale(j);
  return Rcpp::List::create(
      Rcpp::_["center"] = wrap_vector(found.mean), Rcpp::_["scale"] = wrap_vector(scale),
      Rcpp::_["lowest"] = wrap_vector(found.lowest),
      Rcpp::_["highest"] = wrap_vector(found.highest),
      Rcpp::_["not_finite"] = static_cast<double>(found.not_finite + 1),
      Rcpp::_["rows"] = static_cast<double>(found.rows), Rcpp::_["weight"] = found.weight,
      Rcpp::_["unit"] = wrap_vector(found.unit), Rcpp::_["squares"] = wrap_vector(found.squares));
}

ColumnScales scales(const Rcpp::List& list) {
  ColumnScales out;
  out.mean = vector(list["center"]);
  out.lowest = vector(list["lowest"]);
  out.highest = vector(list["highest"]);
  out.not_finite = static_cast<Index>(Rcpp::as<double>(list["not_finite"])) - 1;
  out.rows = static_cast<Index>(Rcpp::as<double>(list["rows"]));
  out.weight = Rcpp::as<double>(list["weight"]);
  out.unit = vector(list["unit"]);
  out.squares = vector(list["squares"]);
  return out;
}

}  // namespace

// Mean, standard deviation and range of every column, the first column that is not all finite
// (0: none), and what core_extend_scales() needs. `weights`: the rows' case weights, or numeric().
// [[Rcpp::export(rng = false)]]
Rcpp::List core_column_scales(Rcpp::NumericMatrix x, Rcpp::NumericVector weights) {
  if (weights.size() > 0 && weights.size() != x.nrow())
    throw InvalidSpec("there is not one weight for each row");
  return wrap_scales(
      column_scales(x.begin(), x.nrow(), x.ncol(), weights.size() > 0 ? weights.begin() : nullptr));
}

// The scales of rows of which `found` describes the first ones (NULL: there are none) and the first
// `rows` rows of x are the others.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_extend_scales(Rcpp::RObject found, Rcpp::NumericMatrix x, double rows) {
  ColumnScales out = found.isNULL() ? ColumnScales(x.ncol()) : scales(Rcpp::List(found));
  if (out.mean.size() != x.ncol() || !(rows >= 0.0 && rows <= x.nrow()))
    throw InvalidSpec("the rows have other columns than those before, or are fewer");
  out.extend(x.begin(), x.nrow(), static_cast<Index>(rows));
  return wrap_scales(out);
}

// Rows of a panel of the scales.
// [[Rcpp::export(rng = false)]]
double core_scale_panel() { return static_cast<double>(kScalePanel); }

// A new matrix (x - center) / scale with the dimension names of x.
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
