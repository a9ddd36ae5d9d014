#include "models/ivm/ivm.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "math/constants.h"
#include "models/ivm/refinement.h"
#include "models/ivm/selection.h"
#include "models/ivm/state.h"

namespace gpsieve {
namespace {

constexpr Index kTraceRows = 50;
// Share of n_active: as many kernel columns are kept for all machines together.
constexpr double kCacheShare = 0.25;

TraceRow row_of(const IvmState& state) {
  TraceRow row{state.size(), state.log_evidence(), state.size()};
  row.information = state.last_information();
  return row;
}

// A context whose progress runs from `from` to `to` while its user reports 0 to 1.
Context part_of(const Context& ctx, double from, double to) {
  Context part = ctx;
  if (ctx.progress)
    part.progress = [&ctx, from, to](const Progress& p) {
      ctx.progress({from + (to - from) * p.done, p.size});
    };
  return part;
}

struct FittedMachine {
  LatentFit fit;
  bool settled = true;
};

// Machine c.
FittedMachine fit_one(const BoundKernel& kernel, const FitProblem& problem, Index c,
                      const IvmOptions& options, ColumnCache* cache, Rng rng, const Context& ctx) {
  const Likelihood& likelihood = problem.likelihood;
  const Eigen::Ref<const Matrix> y = problem.responses(c);
  // The selection costs at most n d^2 multiply-adds; V, and each pass, about as much.
  const double selection = options.refine > 0 ? 1.0 / (2.0 + options.refine) : 1.0;
  Trace trace(options.n_active, kTraceRows);
  LatentFit fit;
  {
    IvmState state(kernel, likelihood, y, problem.prior_mean(c), options, problem.cases);
    const Context part = part_of(ctx, 0.0, selection);
    Selection(state, cache, rng, part).grow_to(options.n_active, [&] {
      if (trace.due(state.size())) trace.record(row_of(state));
      const double share =
          static_cast<double>(state.size()) / static_cast<double>(options.n_active);
      part.report(share * share, state.size());
    });
    fit = state.finish();
    if (state.size() > 0) {
      TraceRow last = row_of(state);
      last.objective = fit.log_evidence;
      trace.record_final(last);
    }
  }
  fit.trace = trace.rows();
  const bool settled =
      refine(kernel, likelihood, y, problem.cases, options, rng, fit, part_of(ctx, selection, 1.0));
  return {std::move(fit), settled};
}

}  // namespace

FitResult fit_ivm(const FitProblem& problem, const IvmOptions& options, std::uint64_t seed,
                  const Context& ctx, Index first_machine) {
  const Index machines = problem.machines(), n = problem.x.cols();
  require_responses(problem, n);
  require_cases(problem.cases, n);
  if (options.n_active < 1 || options.n_active > n)
    throw InvalidSpec("the size of the active set does not fit the rows");
  const BoundKernel bound(problem.kernel, problem.x);
  std::vector<FittedMachine> fitted(static_cast<std::size_t>(machines));
  const auto stream = [&](Index c) {
    return Rng(seed, static_cast<std::uint64_t>(first_machine + c));
  };
  if (machines == 1) {
    fitted[0] = fit_one(bound, problem, 0, options, nullptr, stream(0), ctx);
  } else {
    ColumnCache cache(bound,
                      static_cast<Index>(kCacheShare * static_cast<double>(options.n_active)));
    Context shared = ctx;
    shared.threads = problem.kernel.usable_threads(ctx.threads);
    parallel_tasks(shared, machines, [&](Index c, const Context& task) {
      fitted[c] = fit_one(bound, problem, c, options, &cache, stream(c), task);
    });
  }
  FitResult result;
  for (FittedMachine& machine : fitted) {
    if (static_cast<Index>(machine.fit.posterior.basis.size()) < options.n_active)
      result.reason = "the other rows would add nothing";
    result.converged = result.converged && machine.settled;
    result.latents.push_back(std::move(machine.fit));
  }
  if (!result.converged) result.reason = "sites of EP still changed after the most passes";
  return result;
}

double active_evidence(const Kernel& kernel, Points active, VectorIn site_precision,
                       VectorIn site_mean, VectorOut grad, VectorOut grad_log_precision) {
  const Index d = active.cols();
  Matrix factor(d, d);
  kernel.gram(active, factor);
  factor.diagonal() += site_precision.cwiseInverse();
  cholesky_in_place(factor);
  Matrix solved = site_mean;
  trsm(Side::left, Triangle::lower, Op::plain, factor, solved);
  const double value = -sum_log_diagonal(factor) - 0.5 * solved.squaredNorm() -
                       0.5 * static_cast<double>(d) * kLogTwoPi;
  if (grad.size() == 0 && grad_log_precision.size() == 0) return value;

  // theory.md (14); C^-1 is needed as a full matrix, the weight of dK.
  trsm(Side::left, Triangle::lower, Op::transposed, factor, solved);
  Matrix weight = Matrix::Identity(d, d);
  cholesky_solve(factor, weight);
  weight *= -0.5;
  weight.noalias() += 0.5 * solved.col(0) * solved.col(0).transpose();
  if (grad.size() > 0) kernel.gram_gradient(active, weight, grad);
  if (grad_log_precision.size() > 0)
    grad_log_precision = -weight.diagonal().cwiseQuotient(site_precision);
  return value;
}

InclusionPath inclusion_path(const Kernel& kernel, Points active, VectorIn site_precision,
                             VectorIn site_mean, double prior_mean, Points x, const Context& ctx) {
  const Index d = active.cols(), n = x.cols();
  const Vector root = site_precision.cwiseSqrt();
  Matrix factor(d, d);  // theory.md (1)
  kernel.gram(active, factor);
  factor = root.asDiagonal() * factor * root.asDiagonal();
  factor.diagonal().array() += 1.0;
  cholesky_in_place(factor);
  Matrix gain = root.cwiseProduct(site_mean), columns(d, n);  // (5) and (2)
  trsm(Side::left, Triangle::lower, Op::plain, factor, gain);
  kernel.cross(active, x, columns);
  columns = root.asDiagonal() * columns;
  trsm(Side::left, Triangle::lower, Op::plain, factor, columns, ctx.threads);

  InclusionPath path{factor.diagonal().array().log(), Vector(d), Matrix(n, d), Matrix(n, d)};
  Vector mean = Vector::Constant(n, prior_mean), variance(n);
  kernel.diagonal(x, variance);
  double log_evidence = 0.0;
  for (Index k = 0; k < d; ++k) {
    ctx.check();
    log_evidence +=
        std::log(root(k)) - path.information(k) - 0.5 * gain(k, 0) * gain(k, 0) - 0.5 * kLogTwoPi;
    mean += gain(k, 0) * columns.row(k).transpose();
    variance -= columns.row(k).transpose().cwiseAbs2();
    path.log_evidence(k) = log_evidence;
    path.mean.col(k) = mean;
    path.variance.col(k) = variance.cwiseMax(0.0);
  }
  return path;
}

}  // namespace gpsieve
