#include "convert.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "base/large_pages.h"
#include "convert_partition.h"
#include "math/column_scales.h"
#include "posterior/valid.h"

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

// The class of row numbers of sparse rows, R/sparse.R.
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

// The lower triangle, column by column.
Rcpp::NumericVector wrap_lower(const Matrix& factor) {
  const Index m = factor.rows();
  Rcpp::NumericVector out(Rcpp::no_init(static_cast<R_xlen_t>(m * (m + 1) / 2)));
  double* to = out.begin();
  for (Index j = 0; j < m; ++j) to = std::copy_n(factor.data() + j * m + j, m - j, to);
  return out;
}

// How many rows a lower triangle of so many numbers has.
Index rows_of_triangle(Index size) {
  const Index m = static_cast<Index>(std::sqrt(2.0 * static_cast<double>(size)));
  if (size == 0 || m * (m + 1) / 2 != size)
    throw InvalidSpec("a variance factor of the fit is no triangle");
  return m;
}

// The matrix with this lower triangle.
Matrix lower(const Rcpp::NumericVector& values) {
  const Index m = rows_of_triangle(values.size());
  Matrix out = large_matrix(m, m);
  const double* from = values.begin();
  double* to = out.data();
  for (Index j = 0; j < m; from += m - j, ++j) {
    to = std::fill_n(to, j, 0.0);
    to = std::copy_n(from, m - j, to);
  }
  return out;
}

// The diagonal of a lower triangle.
Vector diagonal(const Rcpp::NumericVector& values) {
  return PackedTriangle{values.begin(), rows_of_triangle(values.size())}.diagonal();
}

Rcpp::List wrap_map(const TriangularMap& map) {
  if (map.empty()) return Rcpp::List();
  return Rcpp::List::create(Rcpp::_["factor"] = wrap_lower(map.factor),
                            Rcpp::_["scale"] = wrap_vector(map.scale));
}

Rcpp::List wrap_local(const LocalVariance& local) {
  const auto wrap_leaf = [](const LeafFactors& leaf) {
    return Rcpp::List::create(Rcpp::_["rows"] = wrap_rows(leaf.rows),
                              Rcpp::_["factor"] = wrap_lower(leaf.factor),
                              Rcpp::_["inducing"] = wrap_matrix(leaf.inducing));
  };
  return Rcpp::List::create(Rcpp::_["tree"] = wrap_tree(local.tree),
                            Rcpp::_["inducing"] = wrap_rows(local.inducing),
                            Rcpp::_["prior_factor"] = wrap_lower(local.prior_factor),
                            Rcpp::_["factor"] = wrap_lower(local.factor),
                            Rcpp::_["leaves"] = wrap_each(local.leaves, wrap_leaf));
}

LocalVariance local_variance(const Rcpp::List& list, Index size, Index width) {
  const auto factor_of = [](const Rcpp::NumericVector& values) {
    return values.size() == 0 ? Matrix() : lower(values);
  };
  LocalVariance out;
  out.tree = tree(list["tree"], width);
  out.inducing = row_numbers(list["inducing"], size);
  out.prior_factor = factor_of(list["prior_factor"]);
  out.factor = factor_of(list["factor"]);
  const Rcpp::List leaves = list["leaves"];
  for (R_xlen_t i = 0; i < leaves.size(); ++i) {
    const Rcpp::List leaf = leaves[i];
    out.leaves.push_back({row_numbers(leaf["rows"], size), factor_of(leaf["factor"]),
                          matrix(Rcpp::NumericMatrix(leaf["inducing"]))});
  }
  return out;
}

Rcpp::List wrap_posterior(const SparsePosterior& posterior, const InputKernel& kernel) {
  Rcpp::List out = Rcpp::List::create(
      Rcpp::_["basis"] = wrap_rows(posterior.basis),
      Rcpp::_["weights"] = wrap_vector(posterior.weights),
      Rcpp::_["down"] = wrap_map(posterior.down), Rcpp::_["up"] = wrap_map(posterior.up),
      Rcpp::_["form"] = wrap_matrix(posterior.form),
      Rcpp::_["whitening"] = wrap_matrix(posterior.whitening),
      Rcpp::_["prior_scale"] = posterior.prior_scale, Rcpp::_["prior_mean"] = posterior.prior_mean,
      Rcpp::_["intercept"] = posterior.intercept);
  if (posterior.dense_scale.size() > 0) out["dense_scale"] = wrap_vector(posterior.dense_scale);
  const Augmentation& extra = posterior.augmentation;
  if (!extra.empty())
    out["augmentation"] = Rcpp::List::create(Rcpp::_["points"] = kernel.wrap_points(extra.points),
                                             Rcpp::_["precision"] = wrap_vector(extra.precision),
                                             Rcpp::_["noise"] = extra.noise);
  if (!posterior.local.empty()) out["local"] = wrap_local(posterior.local);
  return out;
}

Augmentation augmentation(const Rcpp::List& list, const InputKernel& kernel) {
  return {kernel.points(list["points"]), vector(list["precision"]),
          Rcpp::as<double>(list["noise"])};
}

// Blocks of more rows than this are solved faster with a matrix.
constexpr Index kPackedRows = 64;

// For few rows the triangle stays where R has it, in the list, which outlives the map.
TriangularMap triangular_map(const Rcpp::List& list, Index rows) {
  if (list.size() == 0) return {};
  const SEXP given = list["factor"];
  const Rcpp::NumericVector factor(given);  // a copy unless these are doubles
  TriangularMap out{{}, vector(list["scale"]), {}};
  if (rows > kPackedRows || TYPEOF(given) != REALSXP)
    out.factor = lower(factor);
  else
    out.packed = {factor.begin(), rows_of_triangle(factor.size())};
  return out;
}

void require_map(const Rcpp::List& list, Index size) {
  if (list.size() > 0) require_factor_diagonal(diagonal(list["factor"]), size);
}

}  // namespace

Rcpp::DataFrame wrap_trace(const std::vector<TraceRow>& trace) {
  const R_xlen_t n = static_cast<R_xlen_t>(trace.size());
  const auto numbers = [&](double TraceRow::*column) {
    Rcpp::NumericVector out(n);
    std::transform(trace.begin(), trace.end(), out.begin(),
                   [column](const TraceRow& row) { return row.*column; });
    return out;
  };
  const auto counts = [&](Index TraceRow::*column) {
    Rcpp::IntegerVector out(n);
    std::transform(trace.begin(), trace.end(), out.begin(),
                   [column](const TraceRow& row) { return static_cast<int>(row.*column); });
    return out;
  };
  const auto known = [&](double TraceRow::*column) {
    return std::any_of(trace.begin(), trace.end(),
                       [column](const TraceRow& row) { return !std::isnan(row.*column); });
  };
  Rcpp::List columns = Rcpp::List::create(Rcpp::_["iteration"] = counts(&TraceRow::iteration),
                                          Rcpp::_["objective"] = numbers(&TraceRow::objective),
                                          Rcpp::_["seconds"] = numbers(&TraceRow::seconds),
                                          Rcpp::_["size"] = counts(&TraceRow::size));
  if (known(&TraceRow::validation)) columns["validation"] = numbers(&TraceRow::validation);
  if (known(&TraceRow::lower)) columns["lower"] = numbers(&TraceRow::lower);
  // as.data.frame() of R takes longer than a small leaf.
  columns.attr("class") = "data.frame";
  columns.attr("row.names") = Rcpp::IntegerVector::create(NA_INTEGER, -static_cast<int>(n));
  return columns;
}

Matrix points(const Rcpp::NumericMatrix& x) {
  require_inputs(x);
  return transposed(x);
}

Matrix points(const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& center,
              const Rcpp::NumericVector& scale) {
  require_inputs(x);
  return standardised(x, center, scale);
}

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

Rcpp::List wrap_fit(const FitResult& fit, const InputKernel& kernel) {
  Rcpp::List latents(static_cast<R_xlen_t>(fit.latents.size()));
  for (R_xlen_t c = 0; c < latents.size(); ++c) {
    const LatentFit& latent = fit.latents[c];
    latents[c] = Rcpp::List::create(
        Rcpp::_["posterior"] = wrap_posterior(latent.posterior, kernel),
        Rcpp::_["site_precision"] = wrap_vector(latent.site_precision),
        Rcpp::_["site_mean"] = wrap_vector(latent.site_mean),
        Rcpp::_["log_evidence"] = latent.log_evidence,
        Rcpp::_["site_rows"] =
            wrap_rows(latent.site_rows.empty() ? latent.posterior.basis : latent.site_rows),
        Rcpp::_["evidence_gradient"] = wrap_vector(latent.evidence_gradient),
        Rcpp::_["cavity_mean"] = wrap_vector(latent.cavity_mean),
        Rcpp::_["cavity_variance"] = wrap_vector(latent.cavity_variance),
        Rcpp::_["trace"] = wrap_trace(latent.trace));
  }
  return Rcpp::List::create(Rcpp::_["latents"] = latents,
                            Rcpp::_["points"] = kernel.wrap_points(fit.points),
                            Rcpp::_["likelihood_params"] = wrap_vector(fit.likelihood_params),
                            Rcpp::_["converged"] = fit.converged, Rcpp::_["reason"] = fit.reason);
}

namespace {

PendingRows pending_rows(const Rcpp::List& list) {
  return {vector(list["start"]), matrix(list["squares"]), vector(list["signs"]),
          matrix(list["own"])};
}

Rcpp::List wrap_pending_rows(const PendingRows& rows) {
  return Rcpp::List::create(
      Rcpp::_["start"] = wrap_vector(rows.start), Rcpp::_["squares"] = wrap_matrix(rows.squares),
      Rcpp::_["signs"] = wrap_vector(rows.signs), Rcpp::_["own"] = wrap_matrix(rows.own));
}

}  // namespace

std::vector<OnlineState> online_states(const Rcpp::List& list) {
  std::vector<OnlineState> out(static_cast<std::size_t>(list.size()));
  for (R_xlen_t c = 0; c < list.size(); ++c) {
    const Rcpp::List item = list[c];
    OnlineState& state = out[c];
    for (const int row : Rcpp::as<std::vector<int>>(item["basis"]))
      state.basis.push_back(static_cast<Index>(row) - 1);
    state.weights = vector(item["weights"]);
    state.form = matrix(item["form"]);
    state.whitening = matrix(item["whitening"]);
    state.mean = vector(item["mean"]);
    state.precision = matrix(item["precision"]);
    state.weight_variance = vector(item["leverage"]);
    state.stiffness = vector(item["stiffness"]);
    state.site_precision = vector(item["site_precision"]);
    state.site_shift = vector(item["site_shift"]);
    state.log_evidence = Rcpp::as<double>(item["log_evidence"]);
    state.since_refresh = Rcpp::as<int>(item["since_refresh"]);
    state.refreshed = Rcpp::as<int>(item["refreshed"]);
    state.pending = pending_rows(item["pending"]);
  }
  return out;
}

Rcpp::List wrap_online_states(const std::vector<OnlineState>& states) {
  Rcpp::List out(static_cast<R_xlen_t>(states.size()));
  for (R_xlen_t c = 0; c < out.size(); ++c) {
    const OnlineState& state = states[c];
    out[c] = Rcpp::List::create(Rcpp::_["mean"] = wrap_vector(state.mean),
                                Rcpp::_["precision"] = wrap_matrix(state.precision),
                                Rcpp::_["leverage"] = wrap_vector(state.weight_variance),
                                Rcpp::_["stiffness"] = wrap_vector(state.stiffness),
                                Rcpp::_["site_precision"] = wrap_vector(state.site_precision),
                                Rcpp::_["site_shift"] = wrap_vector(state.site_shift),
                                Rcpp::_["log_evidence"] = state.log_evidence,
                                Rcpp::_["since_refresh"] = static_cast<int>(state.since_refresh),
                                Rcpp::_["refreshed"] = static_cast<int>(state.refreshed),
                                Rcpp::_["pending"] = wrap_pending_rows(state.pending));
  }
  return out;
}

namespace {

SparsePosterior posterior_mean(const Rcpp::List& item) {
  SparsePosterior out;
  // A missing row number becomes one that no basis has.
  for (const int row : Rcpp::IntegerVector(item["basis"]))
    out.basis.push_back(static_cast<Index>(row) - 1);
  out.weights = vector(item["weights"]);
  out.intercept = Rcpp::as<bool>(item["intercept"]);
  out.prior_mean = Rcpp::as<double>(item["prior_mean"]);
  return out;
}

}  // namespace

std::vector<SparsePosterior> posterior_means(const Rcpp::List& list, Index basis_size,
                                             Index width) {
  std::vector<SparsePosterior> out;
  for (R_xlen_t c = 0; c < list.size(); ++c) {
    const Rcpp::List item = list[c];
    out.push_back(posterior_mean(item));
    require_valid(out.back(), basis_size, width);
    require_map(item["down"], out.back().length());
    require_map(item["up"], out.back().length());
  }
  return out;
}

std::vector<SparsePosterior> posteriors(const Rcpp::List& list, const InputKernel& kernel,
                                        Index basis_size, Index width, Index rows) {
  std::vector<SparsePosterior> out(static_cast<std::size_t>(list.size()));
  for (R_xlen_t c = 0; c < list.size(); ++c) {
    const Rcpp::List item = list[c];
    SparsePosterior& posterior = out[c];
    posterior = posterior_mean(item);
    posterior.down = triangular_map(item["down"], rows);
    posterior.up = triangular_map(item["up"], rows);
    posterior.form = matrix(item["form"]);
    posterior.whitening = matrix(item["whitening"]);
    if (item.containsElementNamed("dense_scale"))
      posterior.dense_scale = vector(item["dense_scale"]);
    if (item.containsElementNamed("augmentation"))
      posterior.augmentation = augmentation(item["augmentation"], kernel);
    if (item.containsElementNamed("local"))
      posterior.local = local_variance(item["local"], posterior.length(), width);
    posterior.prior_scale = Rcpp::as<double>(item["prior_scale"]);
    require_valid(posterior, basis_size, width);
  }
  return out;
}

}  // namespace gpsieve
