#include "convert_posterior.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/large_pages.h"
#include "convert.h"
#include "convert_partition.h"
#include "posterior/valid.h"

namespace gpsieve {
namespace {

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
  if (known(&TraceRow::information)) columns["information"] = numbers(&TraceRow::information);
  // as.data.frame() of R takes longer than a small leaf.
  columns.attr("class") = "data.frame";
  columns.attr("row.names") = Rcpp::IntegerVector::create(NA_INTEGER, -static_cast<int>(n));
  return columns;
}

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
