#include "models/meanfield/solution.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "linalg/anderson.h"
#include "math/constants.h"
#include "models/meanfield/cavities.h"
#include "models/meanfield/cavity_step.h"

namespace gpsieve {
namespace {

// Residuals of the mean-field equations: at a fixed point, and while TAP is far from one.
constexpr double kTight = 1e-11, kLoose = 1e-4;

// The residual at the end. F is stationary in the weights, so that TAP's need not be smaller than
// the square of the change of the cavity variances that it stops at.
double final_residual(const MeanfieldOptions& options) {
  if (options.method != FieldMethod::tap) return kTight;
  return std::clamp(options.tol * options.tol, kTight, kLoose);
}

// The next cavity variances, from those of a round and the residual of theory.md (13): Anderson
// mixing, of Newton steps as soon as the residual is small enough for them to be accurate, and of
// the residuals again where such a step does not halve the change.
class CavityUpdate {
 public:
  CavityUpdate(const FieldSolver& solver, MatrixOut work, double tol, const Context& ctx)
      : solver_(solver), newton_(solver, work, ctx), tol_(tol) {}

  Vector next(const Vector& before, const Vector& residual, double change) {
    const bool prepared = newton_.is_prepared();
    const FieldPoint& point = solver_.point();
    const bool solved = point.residual <= kSolved * change * point.slope_scale;
    if (!prepared && solved && change <= kNear && change > kWorthwhile * tol_) {
      newton_.prepare();
      restart(true);
    } else if (by_newton_ && prepared && change > kSufficient * last_change_) {
      restart(false);
    }
    last_change_ = change;
    return mixing_.next(before, by_newton_ ? newton_.solve(residual) : residual);
  }

 private:
  static constexpr double kNear = 0.03;
  static constexpr double kWorthwhile =
      100.0;                               // times the tolerance: nearer, a plain round will do
  static constexpr double kSolved = 0.01;  // residual of the equations, relative to the change
  static constexpr double kSufficient = 0.5;
  static constexpr Index kMixingDepth = 5;

  void restart(bool by_newton) {
    by_newton_ = by_newton;
    mixing_ = AndersonMixing(kMixingDepth);
  }

  const FieldSolver& solver_;
  CavityStep newton_;
  double tol_, last_change_ = 0.0;
  bool by_newton_ = false;
  AndersonMixing mixing_{kMixingDepth};
};

// The residual of the mean-field equations that a round solves them to. One Newton step per round
// is enough once the cavity variances are near: its error is of second order in their last change.
// The cavity variances of the first two rounds are far off, so that little accuracy will do, except
// for the likelihood of a step: it has curvature through the cavity variances alone, and the
// equations break down where the means are not nearly right.
double round_residual(int round, double last_change, double tight, bool step) {
  constexpr double kFirst = 0.1, kSecond = 0.01;
  if (round <= 2) return step ? kLoose : round == 1 ? kFirst : kSecond;
  return std::clamp(last_change * last_change, tight, kLoose);
}

// Changes below this that fall no more are rounding errors: 1e-5, or those of the inverse of B, in
// units of rounding the largest element of its diagonal. They are more than 1e-5 where the prior
// variance of a row is above 4e10 times 1 / W, as with counts near e^20.
double rounding_floor(const FieldSolver& solver) {
  constexpr double kLeast = 1e-5;
  return std::max(kLeast, kEpsilon * solver.diagonal().maxCoeff());
}

// TAP's outer loop: solves the mean-field equations and sets the cavity variances to theory.md
// (13), in turn, until the variances would no longer change. The solver is left at the variances
// whose change was found to be small, with the inverse of the factor that showed it.
bool tap_rounds(FieldSolver& solver, MatrixOut work, const MeanfieldOptions& options, double tight,
                Trace& trace, const Context& ctx) {
  constexpr int kPatience = 5;  // rounds without a new least change
  CavityUpdate update(solver, work, options.tol, ctx);
  double least = std::numeric_limits<double>::infinity();
  int waited = 0;
  const Index n = solver.cavity_variance().size();
  for (int round = 1; round <= options.max_iter; ++round) {
    solver.solve(round_residual(round, least, tight, solver.problem().likelihood.step()),
                 options.max_iter);
    solver.solve(tight, 0);  // as far as the last factor allows
    const Vector before = solver.cavity_variance();
    const Vector residual = matching_cavities(solver, ctx) - before;
    trace.record({round, -(solver.energy() + solver.half_log_determinant()), n});
    const double change = (solver.point().curvature.array() * residual.array().abs()).maxCoeff();
    if (!std::isfinite(change)) throw NumericalFailure("a cavity variance is not a number");
    waited = change < least ? 0 : waited + 1;
    least = std::min(least, change);
    const bool settled =
        change <= options.tol || (waited >= kPatience && least <= rounding_floor(solver));
    // The change falls by about the same factor every round.
    ctx.report(settled ? 1.0 : std::clamp(std::log10(change) / std::log10(options.tol), 0.0, 1.0),
               n);
    if (settled) return true;
    solver.set_cavities(update.next(before, residual, change)
                            .cwiseMax(0.0)
                            .cwiseMin(largest_cavities(solver.problem())));
  }
  return false;
}

}  // namespace

FieldSolution solve_fields(FieldSolver& solver, MatrixOut work, const MeanfieldOptions& options,
                           const Context& ctx) {
  const FieldProblem& problem = solver.problem();
  const bool exact = problem.likelihood.gaussian();
  const double noise = problem.likelihood.step_noise();
  if (!problem.likelihood.log_concave())
    throw InvalidSpec("the mean-field methods need a log-concave likelihood");
  if (options.method == FieldMethod::ensemble && noise == 0.0 && !exact)
    throw InvalidSpec("the ensemble method needs a probit likelihood with noise");
  if (options.method == FieldMethod::laplace && problem.likelihood.step())
    throw InvalidSpec("Laplace's method needs a likelihood with derivatives");

  Trace trace;
  FieldSolution solution{0.0, 0.0, true, "", {}};
  double product_term = 0.0;
  if (exact || options.method == FieldMethod::laplace) {
    solver.set_cavities(Vector::Zero(problem.y.rows()));
  } else if (options.method == FieldMethod::ensemble) {
    solver.release();
    solver.set_cavities(
        ensemble_cavities(problem.k, noise, problem.copies, work, product_term, ctx));
  } else {
    if (solver.cavity_variance().isZero(0.0)) solver.set_cavities(problem.k.diagonal());
    if (options.method == FieldMethod::tap) {
      solution.converged = tap_rounds(solver, work, options, final_residual(options), trace, ctx);
      if (!solution.converged) solution.reason = "the cavity variances were still changing";
    } else {
      solver.set_cavities(problem.k.diagonal());
    }
  }
  if (!solver.solve(final_residual(options), options.max_iter)) {
    solution.converged = false;
    solution.reason = "Newton's method had not solved the mean-field equations";
  }
  if (!solver.is_factored()) solver.factor();
  const double energy = solver.energy(), half_log_det = solver.half_log_determinant();
  solution.corrected = -(energy + half_log_det);
  solution.log_evidence = solution.corrected;
  if (!exact && options.method == FieldMethod::ensemble)
    solution.log_evidence = -(energy + product_term);
  if (!exact && options.method == FieldMethod::naive) solution.log_evidence = -energy;
  trace.record(
      {static_cast<Index>(trace.rows().size()) + 1, solution.log_evidence, problem.y.rows()});
  solution.trace = trace.rows();
  ctx.report(1.0, problem.y.rows());
  return solution;
}

}  // namespace gpsieve
