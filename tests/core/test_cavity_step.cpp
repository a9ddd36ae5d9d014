// TAP's steps for the cavity variances, and where a fit starts.
#include "check.h"
#include "dense_reference.h"
#include "models/meanfield/cavities.h"
#include "models/meanfield/cavity_step.h"
#include "models/meanfield/coarse_start.h"
#include "models/meanfield/meanfield.h"

using namespace gpsieve;

namespace {

// Solves the mean-field equations at the solver's cavity variances; W times what
// models/meanfield/theory.md (13) would add to them.
Vector solved_residual(FieldSolver& solver) {
  solver.solve(1e-13, 100);
  const Vector before = solver.cavity_variance();
  return matching_cavities(solver, Context()) - before;
}

double size(const FieldSolver& solver, const Vector& residual) {
  return solver.point().curvature.cwiseProduct(residual).cwiseAbs().maxCoeff();
}

struct Example {
  Matrix x, k;
  Vector y;
  std::unique_ptr<Likelihood> likelihood;
};

Example example(const std::string& name, Index n) {
  Example out;
  out.x = dense::points(2, n, 5);
  out.k = dense::gram(*dense::rbf(3.0, 0.7), out.x);
  out.y = dense::labels(out.x, 5);
  if (name == "probit") out.likelihood = dense::probit();
  if (name == "logit") out.likelihood = dense::likelihood("logit", {});
  if (name == "poisson") {
    out.likelihood = dense::likelihood("poisson", {});
    for (Index i = 0; i < n; ++i) out.y(i) = static_cast<double>(i % 4);
  }
  return out;
}

FieldProblem problem_of(const Example& e, const Vector& weights) {
  return {e.k, *e.likelihood, e.y, 0.2, Vector::Constant(e.y.size(), 0.2), weights};
}

}  // namespace

TEST(cavity_steps_are_newtons) {
  const Index n = 40;
  for (const char* name : {"probit", "logit", "poisson"})
    for (const bool weighted : {false, true}) {
      const Example e = example(name, n);
      Vector weights = Vector::Ones(n);
      if (weighted)
        for (Index i = 0; i < n; ++i) weights(i) = 1.0 + static_cast<double>(i % 3);
      Matrix work(n, n);
      const Context ctx;
      FieldSolver solver(problem_of(e, weights), work, ctx);
      MeanfieldOptions options;
      options.tol = 1e-10;
      CHECK(solve_fields(solver, work, options, ctx).converged);
      const Vector fixed = solver.cavity_variance();
      // A thousandth off, rows in turn above and below.
      Vector off = fixed;
      for (Index i = 0; i < n; ++i) off(i) *= i % 3 == 0 ? 0.999 : 1.001;
      solver.set_cavities(off);
      const Vector residual = solved_residual(solver);
      const double before = size(solver, residual);
      const Matrix lower = work.triangularView<Eigen::Lower>();
      CavityStep step(solver, work, ctx);
      step.prepare();
      CHECK(Matrix(work.triangularView<Eigen::Lower>()) == lower);
      const Vector plain = off + residual, newton = off + step.solve(residual);
      solver.set_cavities(plain);
      const double after_plain = size(solver, solved_residual(solver));
      solver.set_cavities(newton);
      const double after_newton = size(solver, solved_residual(solver));
      CHECK(after_newton < 2e-3 * before);
      CHECK(after_newton < 0.1 * after_plain);
    }
}

TEST(a_fit_starts_near_its_fixed_point_and_ends_in_it) {
  const Index n = 400;
  const Example e = example("probit", n);
  const Vector weights = Vector::Ones(n);
  const Context ctx;
  MeanfieldOptions options;
  options.tol = 1e-9;
  Matrix work(n, n);
  FieldSolver plain(problem_of(e, weights), work, ctx);
  const FieldSolution from_prior = solve_fields(plain, work, options, ctx);
  Matrix other(n, n);
  FieldSolver started(problem_of(e, weights), other, ctx);
  start_from_fewer_rows(started, other, options, ctx);
  const Vector start = started.cavity_variance();
  const FieldSolution found = solve_fields(started, other, options, ctx);
  CHECK(from_prior.converged && found.converged);
  CHECK_NEAR(found.log_evidence, from_prior.log_evidence, 1e-8);
  dense::check_near(started.point().weights, plain.point().weights, 1e-7);
  dense::check_near(started.cavity_variance(), plain.cavity_variance(), 1e-6);
  const Vector& end = plain.cavity_variance();
  CHECK((start - end).norm() < 0.5 * (e.k.diagonal() - end).norm());
  // One row of the trace for each round, and one for the end.
  CHECK(from_prior.trace.size() <= 7);
  CHECK(found.trace.size() <= 6);
}
