// Mean-field equations that Newton's method does not solve by itself, options of predictions, and
// what is refused.
#include "base/error.h"
#include "check.h"
#include "dense_reference.h"
#include "models/meanfield/fields.h"
#include "models/meanfield/meanfield.h"

using namespace gpsieve;
using dense::check_near;

namespace {

MeanfieldOptions by(FieldMethod method) {
  MeanfieldOptions options;
  options.method = method;
  return options;
}

MeanfieldFit fit(const Kernel& kernel, const Likelihood& likelihood, const Matrix& x,
                 const Vector& y, const MeanfieldOptions& options, double prior_mean = 0.0) {
  return fit_meanfield({kernel, likelihood, x, y, Vector::Constant(1, prior_mean)}, options,
                       Context());
}

// The weights are the slopes of log Z_i at the cavities, in units of the latent value's scale, to
// the rounding of K u.
void check_solved(const Kernel& kernel, const Matrix& x, const LatentFit& found,
                  const Likelihood& likelihood, const Vector& y) {
  const Vector& u = found.posterior.weights;
  Vector error(y.size()), gain(y.size()), slope(y.size());
  for (Index i = 0; i < y.size(); ++i) {
    const Tilted t = likelihood.tilted(y(i), found.cavity_mean(i), found.cavity_variance(i));
    const double scale = 1.0 / std::sqrt(1.0 - t.d2);
    error(i) = scale * (u(i) - t.d1);
    slope(i) = scale * t.d1;
    gain(i) = -scale * t.d2;
  }
  const double rounding =
      1e-14 * dense::diagonal(kernel, x).maxCoeff() * u.norm() * gain.maxCoeff();
  CHECK(error.norm() <= 1e-7 * (1.0 + slope.norm()) + rounding);
  CHECK(std::isfinite(found.log_evidence) && found.evidence_gradient.allFinite());
}

}  // namespace

// For a log-concave likelihood the equations have one solution, which the solver finds from any
// weights: also from those whose means overflow, and from those where Newton's method fails.
TEST(meanfield_equations_have_one_solution_whatever_the_start) {
  const Matrix x = dense::points(2, 20, 3);
  const Vector f = dense::numbers(x, 4), one = Vector::Ones(20);
  Matrix work(20, 20);
  const Context ctx;
  for (const char* name : {"probit", "logit", "poisson"}) {
    const bool counts = std::string(name) == "poisson";
    const auto likelihood =
        std::string(name) == "probit" ? dense::probit() : dense::likelihood(name);
    const Vector y = counts ? Vector((3.0 * f.array() + 4.0).exp().round()) : dense::labels(x, 4);
    for (const double variance : {1.0, 30.0}) {
      const Matrix k = dense::gram(*dense::rbf(variance, 0.7), x);
      for (const double share : {0.0, 0.4, 1.0}) {
        FieldSolver solver({k, *likelihood, y, 0.0, Vector::Zero(20), one}, work, ctx);
        solver.set_cavities(share * k.diagonal());
        CHECK(solver.solve(1e-11, 200));
        const Vector weights = solver.point().weights, means = solver.point().mean;
        for (const double size : {0.3, 1.0, 3.0, 1e5}) {
          if (counts && size > 10.0) continue;  // exp(f) overflows in every step back
          solver.start_from(size * dense::points(20, 1, 5).col(0));
          CHECK(solver.solve(1e-11, 200));
          check_near(solver.point().mean, means, 1e-6);
          check_near(solver.point().weights, weights, 1e-6);
        }
      }
    }
  }
}

// Counts whose logarithms no Newton step from zero reaches.
TEST(meanfield_solves_for_large_counts) {
  const auto poisson = dense::likelihood("poisson");
  const Matrix x = dense::points(1, 12, 19);
  for (const double log_count : {5.0, 12.0, 20.0})
    for (const double variance : {1.0, 100.0})
      for (const FieldMethod method :
           {FieldMethod::laplace, FieldMethod::tap, FieldMethod::naive}) {
        // Laplace's method, whose prior has no width here, gives up before such counts.
        if (log_count > 15.0 && variance > 1.0 && method == FieldMethod::laplace) continue;
        Vector y = (dense::numbers(x, 19).array() * 3.0 + log_count).exp().round();
        y(3) = 0.0;
        const auto kernel = dense::rbf(variance, 1.0);
        const MeanfieldFit found = fit(*kernel, *poisson, x, y, by(method));
        CHECK(found.fit.converged);
        check_solved(*kernel, x, found.fit.latents[0], *poisson, y);
      }
}

// Rounding errors of B^-1 keep the changes of the cavity variances above 1e-5 here. Which digits
// are wrong depends on the rows, on the instruction set and on the system's exponential function.
TEST(meanfield_ends_at_the_rounding_errors_of_large_counts) {
  const auto poisson = dense::likelihood("poisson");
  const auto kernel = dense::rbf(100.0, 1.0);
  for (const int seed : {19, 20, 21, 22, 23, 24}) {
    const Matrix x = dense::points(1, 12, seed);
    Vector y = (dense::numbers(x, seed).array() * 3.0 + 20.0).exp().round();
    y(3) = 0.0;
    const MeanfieldFit found = fit(*kernel, *poisson, x, y, by(FieldMethod::tap));
    CHECK(found.fit.converged);
    check_solved(*kernel, x, found.fit.latents[0], *poisson, y);
  }
}

// Counts near the largest whole numbers of a double: solved, or said not to be.
TEST(meanfield_never_calls_equations_solved_that_are_not) {
  const auto poisson = dense::likelihood("poisson");
  const Matrix x = dense::points(1, 12, 19);
  for (const double log_count : {25.0, 30.0})
    for (const double prior_mean : {0.0, -40.0})
      for (const FieldMethod method :
           {FieldMethod::laplace, FieldMethod::tap, FieldMethod::naive}) {
        Vector y = (dense::numbers(x, 19).array() * 3.0 + log_count).exp().round();
        y(3) = 0.0;
        const auto kernel = dense::rbf(100.0, 1.0);
        MeanfieldOptions options = by(method);
        options.max_iter = 15;
        try {
          const FitResult found = fit(*kernel, *poisson, x, y, options, prior_mean).fit;
          CHECK(found.converged == found.reason.empty());
          if (found.converged) check_solved(*kernel, x, found.latents[0], *poisson, y);
        } catch (const Error&) {
        }
      }
}

// Where Newton's method fails, sweeps of coordinate ascent take over.
TEST(meanfield_residuals_fall_where_newtons_method_fails) {
  const auto poisson = dense::likelihood("poisson");
  const Matrix x = dense::points(1, 12, 19), k = dense::gram(*dense::rbf(100.0, 1.0), x);
  Vector y = (dense::numbers(x, 19).array() * 3.0 + 25.0).exp().round();
  y(3) = 0.0;
  Matrix work(12, 12);
  const Context ctx;
  FieldSolver solver({k, *poisson, y, 0.0, Vector::Zero(12), Vector::Ones(12)}, work, ctx);
  solver.set_cavities(k.diagonal());
  double before = solver.point().residual;
  for (int round = 0; round < 4; ++round) {
    CHECK(!solver.solve(1e-11, 5));
    CHECK(solver.point().residual < before);
    before = solver.point().residual;
  }
}

// A cavity leaves out a whole copy of its row. Of a row of weight below 1 that is more than there
// is, and the cavity variance may be above that of the prior.
TEST(meanfield_tap_converges_for_rows_of_small_weight) {
  const Matrix x = dense::points(2, 30, 3);
  const Vector y = dense::labels(x, 3);
  const auto kernel = dense::rbf(1.6, 0.3);
  const auto probit = dense::probit();
  for (const double least : {0.1, 0.5}) {
    CaseTerms cases;
    cases.weight = dense::points(30, 1, 8).cwiseAbs2().array() + least;
    CHECK(cases.weight.minCoeff() < 1.0 && cases.weight.maxCoeff() > 2.0);
    const FitResult result = fit_meanfield({*kernel, *probit, x, y, Vector::Zero(1), cases},
                                           by(FieldMethod::tap), Context())
                                 .fit;
    CHECK(result.converged);
    const LatentFit& found = result.latents[0];
    CHECK((found.cavity_variance - dense::diagonal(*kernel, x)).maxCoeff() > 0.0);
    // The posterior of all sites, and the cavity of a row without one copy of its own.
    const dense::Marginals now =
        dense::condition(dense::gram(*kernel, x), dense::gram(*kernel, x),
                         dense::diagonal(*kernel, x), found.site_precision, found.site_mean);
    for (Index i = 0; i < 30; ++i) {
      const double own = found.site_precision(i) / cases.weight(i);
      CHECK_NEAR(1.0 / found.cavity_variance(i), 1.0 / now.variance(i) - own, 1e-6);
    }
  }
}

// A latent function without likelihood at x: the prior itself for naive mean field, and for the
// ensemble the prior given responses with the noise of the step.
TEST(meanfield_cavity_variances_of_predictions_are_those_of_the_fields) {
  const Matrix x = dense::points(2, 30, 3), at = dense::points(2, 8, 4, 3.0);
  const Vector y = dense::labels(x, 3);
  const auto kernel = dense::rbf(2.0, 0.8);
  const auto probit = dense::likelihood("probit", {{"noise", {0.4}}});
  const Matrix between = dense::cross(*kernel, x, at);
  const Vector prior = dense::diagonal(*kernel, at);
  const auto variances = [&](FieldMethod method, const Likelihood& likelihood, const Vector& of,
                             bool cavity) {
    MeanfieldOptions options = by(method);
    options.cavity_variance = cavity;
    const LatentFit found = fit(*kernel, likelihood, x, of, options).fit.latents[0];
    return dense::predict(*kernel, x, found.posterior, at).variance;
  };
  check_near(variances(FieldMethod::naive, *probit, y, true), prior, 1e-14);
  check_near(variances(FieldMethod::ensemble, *probit, y, true),
             dense::condition(dense::gram(*kernel, x), between, prior,
                              Vector::Constant(30, 1.0 / 0.4), Vector::Zero(30))
                 .variance,
             1e-10);
  for (const FieldMethod method : {FieldMethod::tap, FieldMethod::laplace})
    CHECK(variances(method, *probit, y, true) == variances(method, *probit, y, false));
  // Gaussian noise has one answer.
  const auto gaussian = dense::gaussian(0.3);
  const Vector numbers = dense::numbers(x, 3);
  const Vector exact = variances(FieldMethod::tap, *gaussian, numbers, false);
  for (const FieldMethod method : {FieldMethod::naive, FieldMethod::ensemble})
    check_near(variances(method, *gaussian, numbers, true), exact, 1e-12);
}

TEST(meanfield_says_that_it_did_not_converge) {
  const Matrix x = dense::points(2, 30, 3);
  const Vector y = dense::labels(x, 3);
  for (const FieldMethod method : {FieldMethod::tap, FieldMethod::laplace}) {
    MeanfieldOptions options = by(method);
    options.max_iter = 1;
    const FitResult found = fit(*dense::rbf(50.0, 1.0), *dense::probit(), x, y, options).fit;
    CHECK(!found.converged && !found.reason.empty());
  }
}

// Where no row bends the likelihood, the sites have no precision and the posterior is the prior.
TEST(meanfield_of_rows_without_curvature_is_the_prior) {
  const Matrix x = dense::points(2, 10, 3);
  const auto kernel = dense::rbf(0.5, 1.0);
  const Vector none = Vector::Zero(10);
  const LatentFit found =
      fit(*kernel, *dense::likelihood("poisson"), x, none, by(FieldMethod::laplace), -800.0)
          .fit.latents[0];
  CHECK(found.posterior.weights.isZero(0.0));
  CHECK_NEAR(found.log_evidence, 0.0, 1e-14);
  check_near(dense::predict(*kernel, x, found.posterior, x).variance, dense::diagonal(*kernel, x),
             1e-12);
}

TEST(meanfield_refuses_kernels_and_starts_that_do_not_fit) {
  const Matrix x = dense::points(2, 10, 3);
  const Vector y = dense::labels(x, 3), zero = Vector::Zero(1);
  const auto of = [](double diagonal, double between) {
    KernelSpec spec;
    spec.type = "function";
    spec.function = [=](Points a, Points b, MatrixOut k) {
      for (Index j = 0; j < b.cols(); ++j)
        for (Index i = 0; i < a.cols(); ++i) k(i, j) = a.col(i) == b.col(j) ? diagonal : between;
    };
    return make_kernel(spec, 2);
  };
  const auto options = by(FieldMethod::tap);
  for (const auto& values : {std::pair(1.0, std::nan("")), std::pair(-1.0, 0.0)})
    CHECK_THROWS(fit(*of(values.first, values.second), *dense::probit(), x, y, options), Error);
  const auto from = [&](const Matrix& means, const Matrix& cavity) {
    return meanfield_evidence({*dense::rbf(), *dense::probit(), x, y, zero}, options,
                              {means, cavity}, Context());
  };
  CHECK_THROWS(from(Matrix::Zero(9, 1), Matrix::Ones(9, 1)), InvalidSpec);
  CHECK_THROWS(from(Matrix::Zero(10, 1), Matrix::Ones(10, 2)), InvalidSpec);
  CHECK(from(Matrix::Zero(10, 1), Matrix::Ones(10, 1)).converged);
}
