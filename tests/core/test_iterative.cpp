// Sites of all rows without n x n matrices: in one leaf the preconditioner is K + D, so that they
// are those of the dense model; in several leaves they solve the mean-field equations.
#include "base/error.h"
#include "check.h"
#include "dense_reference.h"
#include "models/meanfield/iterative.h"
#include "models/meanfield/meanfield.h"

using namespace gpsieve;
using dense::check_near;

namespace {

// Counts or classes of some rows, with weights and offsets.
struct Rows {
  explicit Rows(bool counts, Index n = 80) : x(dense::points(2, n, 5)), y(dense::labels(x, 5)) {
    likelihood =
        counts ? dense::likelihood("poisson", {}) : dense::likelihood("probit", {{"noise", {0.7}}});
    if (counts)
      for (Index i = 0; i < n; ++i) y(i, 0) = static_cast<double>(i % 4);
    cases.weight = Vector::Ones(n);
    cases.offset = Vector::Zero(n);
    for (Index i = 0; i < n; i += 3) {
      cases.weight(i) = 2.5;
      cases.offset(i) = 0.4;
    }
    cases.weight(1) = 0.5;
  }
  FitProblem problem(const Kernel& kernel) const {
    return {kernel, *likelihood, x, y, mean, cases};
  }

  Matrix x, y;
  Vector mean = Vector::Constant(1, -0.3);
  CaseTerms cases;
  std::unique_ptr<Likelihood> likelihood;
};

IterativeOptions in_leaves(const Matrix& x, Index leaf_rows) {
  IterativeOptions options;
  Rng rng(3);
  PartitionOptions cuts;
  cuts.leaf_rows = leaf_rows;
  options.exact.tree = PartitionTree::build(x, Vector::Ones(x.rows()), cuts, rng);
  options.exact.inducing = 10;
  options.exact.max_bytes = 1e9;
  options.exact.probes = 3;
  options.exact.tol = 1e-10;
  options.site_tol = 1e-8;
  return options;
}

}  // namespace

TEST(in_one_leaf_iterative_sites_are_those_of_the_dense_model) {
  const auto kernel = dense::rbf(1.4, 0.8);
  for (const bool counts : {false, true}) {
    const Rows rows(counts);
    const IterativeFit found =
        fit_iteratively(rows.problem(*kernel), in_leaves(rows.x, 200), Context{});
    MeanfieldOptions options;
    options.tol = 1e-9;
    const LatentFit want = fit_meanfield(rows.problem(*kernel), options, {}).fit.latents[0],
                    fit = found.fit.latents[0];
    CHECK(found.fit.converged);
    CHECK(found.rounds > 0);
    check_near(fit.posterior.weights, want.posterior.weights, 1e-6);
    check_near(fit.cavity_variance, want.cavity_variance, 1e-6);
    check_near(fit.cavity_mean, want.cavity_mean, 1e-6);
    check_near(fit.site_precision, want.site_precision, 1e-5);
    // Nothing is left for the probes: the preconditioner is K + D.
    CHECK(std::abs(fit.log_evidence - want.log_evidence) < 1e-5);
  }
}

TEST(iterative_weights_solve_the_mean_field_equations_in_several_leaves) {
  const auto kernel = dense::rbf(1.4, 0.8);
  for (const bool counts : {false, true}) {
    const Rows rows(counts);
    const IterativeOptions options = in_leaves(rows.x, 20);
    const IterativeFit found = fit_iteratively(rows.problem(*kernel), options, Context{});
    const LatentFit& fit = found.fit.latents[0];
    CHECK(found.fit.converged);
    const Vector mean = dense::gram(*kernel, rows.x) * fit.posterior.weights;
    for (Index i = 0; i < rows.x.cols(); ++i) {
      const double u = fit.posterior.weights(i) / rows.cases.weight(i);
      const double centred = fit.cavity_mean(i) - rows.mean(0) - rows.cases.offset(i);
      const Tilted tilted =
          rows.likelihood->tilted(rows.y(i, 0), fit.cavity_mean(i), fit.cavity_variance(i));
      CHECK(std::abs(centred - (mean(i) - fit.cavity_variance(i) * u)) < 1e-7);
      CHECK(std::abs(u - tilted.d1) < 1e-6);
    }
    Context threads;
    threads.threads = 3;
    const IterativeFit again = fit_iteratively(rows.problem(*kernel), options, threads);
    CHECK(again.fit.latents[0].posterior.weights == fit.posterior.weights);
    CHECK(again.fit.latents[0].log_evidence == fit.log_evidence);
  }
}

TEST(iterative_sites_need_a_likelihood_with_one_solution) {
  const auto kernel = dense::rbf();
  Rows rows(false);
  rows.likelihood = dense::likelihood("probit", {{"noise", {0.0}}});
  const IterativeOptions options = in_leaves(rows.x, 20);
  CHECK_THROWS(fit_iteratively(rows.problem(*kernel), options, Context{}), InvalidSpec);
  Rows few(true);
  IterativeOptions once = options;
  once.max_rounds = 1;
  once.site_tol = 1e-14;
  const IterativeFit found = fit_iteratively(few.problem(*kernel), once, Context{});
  CHECK(!found.fit.converged);
  CHECK(found.fit.reason.find("sites") != std::string::npos);
}
