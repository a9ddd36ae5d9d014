#include "convert_problem.h"

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/large_pages.h"
#include "convert.h"
#include "math/column_scales.h"

namespace gpsieve {
namespace {

std::string size_of(SEXP value) {
  if (!Rf_isMatrix(value)) return "a vector of length " + std::to_string(Rf_xlength(value));
  return "a " + std::to_string(Rf_nrows(value)) + " by " + std::to_string(Rf_ncols(value)) +
         " matrix";
}

KernelFunction host_function(const Rcpp::Function& fn) {
  return [fn](Points a, Points b, MatrixOut k) {
    const SEXP value = fn(wrap_matrix(a.transpose()), wrap_matrix(b.transpose()));
    if (!Rf_isReal(value) && !Rf_isInteger(value))
      throw KernelFailure("the function returned an object of type " +
                          std::string(Rf_type2char(TYPEOF(value))));
    const Rcpp::NumericVector numbers(value);
    if (numbers.size() != k.size() ||
        (Rf_isMatrix(value) && (Rf_nrows(value) != k.rows() || Rf_ncols(value) != k.cols())))
      throw KernelFailure("the function returned " + size_of(value) + " for " +
                          std::to_string(k.rows()) + " rows of x and " + std::to_string(k.cols()) +
                          " rows of z");
    k = Eigen::Map<const Matrix>(numbers.begin(), k.rows(), k.cols());
  };
}

// A function of a likelihood, whose value's size R has checked; empty where there is none.
HostFunction host_function(const Rcpp::List& functions, const char* name) {
  if (Rf_isNull(functions[name])) return {};
  const Rcpp::Function fn = functions[name];
  return [fn](VectorIn a, VectorIn b) -> Matrix {
    const Rcpp::NumericVector value = fn(wrap_vector(a), wrap_vector(b));
    return Eigen::Map<const Matrix>(value.begin(), a.size(), value.size() / a.size());
  };
}

HostLikelihood host_likelihood(const Rcpp::List& list) {
  if (!list.containsElementNamed("functions")) return {};
  const Rcpp::List of = list["functions"];
  return {host_function(of, "log_density"), host_function(of, "derivatives"),
          host_function(of, "quantile")};
}

std::map<std::string, std::vector<double>> values(const Rcpp::List& list) {
  std::map<std::string, std::vector<double>> out;
  if (list.size() == 0) return out;
  const Rcpp::CharacterVector names = list.names();
  for (R_xlen_t i = 0; i < list.size(); ++i)
    out[Rcpp::as<std::string>(names[i])] = Rcpp::as<std::vector<double>>(list[i]);
  return out;
}

KernelSpec kernel_spec(const Rcpp::List& list) {
  KernelSpec spec;
  spec.type = Rcpp::as<std::string>(list["type"]);
  spec.values = values(list["values"]);
  const Rcpp::List children = list["children"];
  for (R_xlen_t i = 0; i < children.size(); ++i) spec.children.push_back(kernel_spec(children[i]));
  if (list.containsElementNamed("dims") && !Rf_isNull(list["dims"]))
    for (const int dim : Rcpp::as<std::vector<int>>(list["dims"]))
      spec.dims.push_back(static_cast<Index>(dim) - 1);
  if (list.containsElementNamed("fn") && !Rf_isNull(list["fn"]))
    spec.function = host_function(list["fn"]);
  return spec;
}

// The rows that row numbers refer to where those are the points.
std::shared_ptr<const SparseRows> sparse_rows(const Rcpp::List& list) {
  const Rcpp::RObject centre = list["centre"];
  return std::make_shared<SparseRows>(
      static_cast<Index>(Rcpp::as<int>(list["p"])), Rcpp::as<std::vector<int>>(list["start"]),
      Rcpp::as<std::vector<int>>(list["column"]), Rcpp::as<std::vector<double>>(list["value"]),
      centre.isNULL() ? Vector() : vector(Rcpp::NumericVector(centre)));
}

// The class of row numbers of sparse rows, R/base-sparse.R.
constexpr const char* kRowNumbers = "gpsieve_row_numbers";

void require_inputs(const Rcpp::NumericMatrix& x) {
  if (Rf_inherits(x, kRowNumbers))
    throw InvalidSpec("inputs are needed, found row numbers of sparse rows");
}

Matrix transposed(const Rcpp::NumericMatrix& x) {
  Matrix out = large_matrix(x.ncol(), x.nrow());
  out = Eigen::Map<const Matrix>(x.begin(), x.nrow(), x.ncol()).transpose();
  return out;
}

Matrix standardised(const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& center,
                    const Rcpp::NumericVector& scale) {
  return scaled_points(x.begin(), x.nrow(), x.ncol(), vector(center), vector(scale));
}

}  // namespace

Matrix points(const Rcpp::NumericMatrix& x) {
  require_inputs(x);
  return transposed(x);
}

Matrix points(const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& center,
              const Rcpp::NumericVector& scale) {
  require_inputs(x);
  return standardised(x, center, scale);
}

InputKernel::InputKernel(const Rcpp::List& spec, Index p)
    : sparse_(spec.containsElementNamed("rows")),
      kernel_(sparse_ ? make_kernel(kernel_spec(spec), sparse_rows(spec["rows"]))
                      : make_kernel(kernel_spec(spec), p)) {}

void InputKernel::require_kind(const Rcpp::NumericMatrix& x) const {
  if (sparse_ && !Rf_inherits(x, kRowNumbers))
    throw InvalidSpec("a kernel on sparse rows needs row numbers, found inputs");
  if (!sparse_) require_inputs(x);
}

Matrix InputKernel::points(const Rcpp::NumericMatrix& x) const {
  require_kind(x);
  return transposed(x);
}

Matrix InputKernel::points(const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& center,
                           const Rcpp::NumericVector& scale) const {
  require_kind(x);
  return standardised(x, center, scale);
}

Rcpp::NumericMatrix InputKernel::wrap_points(const Matrix& points) const {
  Rcpp::NumericMatrix out = wrap_matrix(points.transpose());
  if (sparse_ && points.cols() > 0) out.attr("class") = kRowNumbers;
  return out;
}

std::unique_ptr<Likelihood> likelihood(const Rcpp::List& list) {
  return make_likelihood(
      {Rcpp::as<std::string>(list["type"]), values(list["values"]), host_likelihood(list)});
}

CaseTerms case_terms(const Rcpp::List& list) {
  return {vector(list["weight"]), vector(list["offset"])};
}

Problem::Problem(const Rcpp::List& kernel_spec, const Rcpp::List& likelihood_spec,
                 const Rcpp::List& rows)
    : kernel(kernel_spec, Rcpp::NumericMatrix(rows["x"]).ncol()),
      likelihood(gpsieve::likelihood(likelihood_spec)),
      x(kernel.points(rows["x"])),
      y(matrix(rows["y"])),
      cases(case_terms(rows["cases"])),
      prior_mean(vector(rows["prior_mean"])) {}

}  // namespace gpsieve
