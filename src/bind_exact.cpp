#include <Rcpp.h>

#include <memory>
#include <utility>
#include <vector>

#include "context_r.h"
#include "convert.h"
#include "convert_partition.h"
#include "convert_posterior.h"
#include "convert_problem.h"
#include "exact/exact_solution.h"
#include "exact/kernel_product.h"
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

// Products of which the terms of a pairwise sum come from other processes: ask(p) is a list of
// them.
class AskedProduct final : public CovarianceProduct {
 public:
  AskedProduct(const Rcpp::Function& ask, Index size) : ask_(ask), size_(size) {}
  Index size() const override { return size_; }
  void multiply(MatrixIn p, MatrixOut out, const Context&) const override {
    const Rcpp::List terms = ask_(wrap_matrix(p));
    PairwiseSum sum;
    for (R_xlen_t i = 0; i < terms.size(); ++i) sum.add(matrix(terms[i]));
    out = sum.total();
  }

 private:
  Rcpp::Function ask_;
  Index size_;
};

// The share of a process in the products of a fit, with all that it refers to.
struct HeldProduct {
  HeldProduct(const Rcpp::List& kernel_spec, const Rcpp::List& likelihood_spec,
              const Rcpp::List& rows, double max_bytes, std::vector<SliceRange> given,
              const Context& ctx)
      : problem(kernel_spec, likelihood_spec, rows),
        bound(*problem.kernel, problem.x),
        share(std::move(given)),
        product(bound, noise_of_rows(problem), max_bytes, ctx, share) {}
  HeldProduct(const HeldProduct&) = delete;
  HeldProduct& operator=(const HeldProduct&) = delete;

  Problem problem;
  BoundKernel bound;
  std::vector<SliceRange> share;
  KernelProduct product;
};

}  // namespace

// A fit to all rows without n x n matrices. options: list(tree, inducing, seed, max_bytes, probes,
// tol, max_steps, max_rounds, site_tol, ask), where ask is NULL or gives products.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_iteratively(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                                Rcpp::List options, Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  IterativeOptions iterative;
  iterative.exact = exact_options(options, p.x.rows());
  iterative.max_rounds = Rcpp::as<int>(options["max_rounds"]);
  iterative.site_tol = Rcpp::as<double>(options["site_tol"]);
  std::unique_ptr<AskedProduct> asked;
  if (!Rf_isNull(options["ask"]))
    asked = std::make_unique<AskedProduct>(options["ask"], p.x.cols());
  iterative.exact.product = asked.get();
  const IterativeFit found = fit_iteratively(p, iterative, context(settings));
  Rcpp::List out = wrap_fit(found.fit, p.kernel);
  out["mean"] = wrap_vector(found.mean);
  out["variance"] = wrap_vector(found.variance);
  out["rounds"] = static_cast<int>(found.rounds);
  out["steps"] = static_cast<int>(found.steps);
  out["residual"] = found.residual;
  out["standard_error"] = found.standard_error;
  return out;
}

// Share `share` (from 1) of `shares` in the products of core_fit_iteratively(); blocks of the
// kernel matrix are kept in at most max_bytes.
// [[Rcpp::export(rng = false)]]
SEXP core_product_share(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                        double max_bytes, int share, int shares, Rcpp::List settings) {
  return Rcpp::XPtr<HeldProduct>(new HeldProduct(kernel_spec, likelihood_spec, rows, max_bytes,
                                                 slices_of_share(share - 1, shares),
                                                 context(settings)));
}

// The terms that such a share gives to the product with p.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_share_of_product(SEXP share, Rcpp::NumericMatrix p, Rcpp::List settings) {
  const HeldProduct& held = *Rcpp::XPtr<HeldProduct>(share);
  const Context ctx = context(settings);
  const Matrix columns = matrix(p);
  Rcpp::List out;
  for (const SliceRange& range : held.share)
    out.push_back(wrap_matrix(held.product.multiply_slices(range, columns, ctx)));
  return out;
}
