#include <Rcpp.h>

#include "convert.h"
#include "math/column_scales.h"
#include "math/row_checksums.h"

using namespace gpsieve;

namespace {

Rcpp::List wrap_scales(const ColumnScales& found) {
  return Rcpp::List::create(
      Rcpp::_["center"] = wrap_vector(found.mean), Rcpp::_["scale"] = wrap_vector(found.scales()),
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
  scale_columns(x.begin(), x.nrow(), x.ncol(), vector(center), vector(scale), out.begin());
  if (x.hasAttribute("dimnames")) out.attr("dimnames") = x.attr("dimnames");
  return out;
}

// The checksums of the stretches to which consecutive rows belong. `columns`: their values, one
// numeric vector for each column; `first`: the number of the first row, counted from 0.
// [[Rcpp::export(rng = false)]]
std::vector<double> core_row_checksums(Rcpp::List columns, double rows, double first) {
  RowChecksums checksums(static_cast<Index>(rows), static_cast<Index>(first));
  for (R_xlen_t j = 0; j < columns.size(); ++j) {
    const Rcpp::NumericVector column(columns[j]);
    if (column.size() != rows) throw InvalidSpec("a column has not one value for each row");
    checksums.add_column(column.begin());
  }
  return checksums.by_stretch();
}

// Rows of a stretch.
// [[Rcpp::export(rng = false)]]
double core_checked_rows() { return static_cast<double>(kCheckedRows); }
