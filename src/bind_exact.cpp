#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_partition.h"
#include "exact/exact_solution.h"
#include "models/meanfield/iterative.h"

using namespace gpsieve;

namespace {

ExactOptions exact_options(const Rcpp::List& list, Index p) {
  ExactOptions out;
  out.tree = tree(list["tree"], p);
  out.inducing = static_cast<Index>(Rcpp::as<double>(list["inducing"]));
  out.seed = static_cast<std::uint64_t>(Rcpp::as<double>(list["seed"]));
  out.max_bytes = Rcpp::as<double>(list["max_bytes"]);
  out.probes = Rcpp::as<int>(list["probes"]);
  out.tol = Rcpp::as<double>(list["tol"]);
  out.max_steps = Rcpp::as<int>(list["max_steps"]);
  return out;
}

}  // namespace

// Regression with Gaussian noise on all rows without n x n matrices. options: list(tree, inducing,
// seed, max_bytes, probes, tol, max_steps).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_iteratively(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                                Rcpp::List options, Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  const IterativeFit found =
      fit_iteratively(p, exact_options(options, p.x.rows()), context(settings));
  Rcpp::List out = wrap_fit(found.fit, p.kernel);
  out["mean"] = wrap_vector(found.mean);
  out["variance"] = wrap_vector(found.variance);
  out["steps"] = static_cast<int>(found.steps);
  out["residual"] = found.residual;
  out["standard_error"] = found.standard_error;
  return out;
}
