#include "models/ivm/ivm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "math/constants.h"
#include "models/ivm/full_search.h"
#include "models/ivm/pool_search.h"
#include "models/ivm/state.h"
#include "sparse_ep/likelihood_factors.h"
#include "sparse_ep/run_to_convergence.h"

namespace gpsieve {
namespace {

constexpr Index kTraceRows = 50;
// Active points differ from each other, so that K_uu is well conditioned and needs little jitter.
// With a larger one the refined machine with all rows active would not be dense EP.
constexpr double kRefinementJitter = 1e-10;
// Share of n_active: as many kernel columns are kept for all machines together.
constexpr double kCacheShare = 0.25;

TraceRow row_of(const IvmState& state) {
  return {state.size(), state.log_evidence(), state.size()};
}

// Selects the active set: rows at random, then by scores of all rows, then by a selection index.
void select(IvmState& state, ColumnCache* cache, Rng& rng, Trace& trace, const Context& ctx) {
  const IvmOptions& options = state.options();
  const Index n = state.kernel().size();
  const bool all_random = options.criterion == Criterion::random;
  const Index n_random = all_random ? 0 : std::min(options.n_random, options.n_active);
  const Index n_searched =
      all_random ? 0 : n_random + std::min(options.n_full, options.n_active - n_random);
  const auto note = [&] {
    if (trace.due(state.size())) trace.record(row_of(state));
    const double share = static_cast<double>(state.size()) / static_cast<double>(options.n_active);
    ctx.report(share * share, state.size());
  };

  std::unique_ptr<FullSearch> full;
  if (n_searched > 0) {
    full = std::make_unique<FullSearch>(state, n_searched, cache, ctx);
    Indices rows(n);
    std::iota(rows.begin(), rows.end(), Index{0});
    rng.shuffle_front(rows, n_random);
    for (Index i = 0; i < n_random; ++i, note()) full->include_row(rows[i]);
    while (state.size() < n_searched) {
      if (!full->include_best()) return;
      note();
    }
  }
  if (state.complete()) return;
  PoolSearch pool(state, full.get(), rng, ctx);
  full.reset();
  while (!state.complete() && pool.include_best()) note();
}

Matrix columns_of(Points x, const Indices& rows) {
  Matrix out(x.rows(), static_cast<Index>(rows.size()));
  for (Index i = 0; i < out.cols(); ++i) out.col(i) = x.col(rows[i]);
  return out;
}

// theory.md#refinement
void refine(const BoundKernel& kernel, const Likelihood& likelihood, VectorIn y,
            const CaseTerms& cases, int passes, LatentFit& fit, const Context& ctx) {
  const double prior_mean = fit.posterior.prior_mean;
  const Inducing inducing(kernel.kernel(), columns_of(kernel.points(), fit.posterior.basis),
                          kRefinementJitter, ctx.threads);
  WhitenedRows rows(inducing, kernel.points(), RowSet::range(0, y.size()));
  const auto factors = likelihood_factors(likelihood, y, Vector::Constant(1, prior_mean), cases);
  SparseEp ep(Schedule::ep, *factors, inducing.size(), false);
  run_to_convergence(ep, rows, {likelihood.gaussian() ? 1 : passes}, ctx);
  Indices basis = std::move(fit.posterior.basis);
  fit.posterior = inducing.posterior(ep.q(0), prior_mean);
  fit.posterior.basis = std::move(basis);
  if (likelihood.response() == Response::binary) {
    const Projections cavity = site_table(ep, rows, ctx).cavity;
    fit.cavity_mean = cavity.mean.col(0);
    fit.cavity_variance = cavity.variance.col(0);
  }
}

// With Gaussian noise and all rows active the selection has found the exact posterior.
bool worth_refining(const Likelihood& likelihood, const LatentFit& fit, Index n) {
  const Index active = static_cast<Index>(fit.posterior.basis.size());
  return active > 0 && !(likelihood.gaussian() && active == n);
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

// The machine of column c of y.
LatentFit fit_one(const BoundKernel& kernel, const FitProblem& problem, Index c,
                  const IvmOptions& options, ColumnCache* cache, Rng rng, const Context& ctx) {
  const Likelihood& likelihood = problem.likelihood;
  const Eigen::Ref<const Vector> y = problem.y.col(c);
  // The selection costs at most n d^2 multiply-adds; V, and each pass, about as much.
  const double selection = options.refine > 0 ? 1.0 / (2.0 + options.refine) : 1.0;
  Trace trace(options.n_active, kTraceRows);
  LatentFit fit;
  {
    IvmState state(kernel, likelihood, y, problem.prior_mean(c), options, problem.cases);
    select(state, cache, rng, trace, part_of(ctx, 0.0, selection));
    if (state.size() > 0) trace.record_final(row_of(state));
    fit = state.finish();
  }
  fit.trace = trace.rows();
  if (options.refine > 0 && worth_refining(likelihood, fit, kernel.size()))
    refine(kernel, likelihood, y, problem.cases, options.refine, fit, part_of(ctx, selection, 1.0));
  return fit;
}

}  // namespace

FitResult fit_ivm(const FitProblem& problem, const IvmOptions& options, std::uint64_t seed,
                  const Context& ctx, Index first_machine) {
  require_cases(problem.cases, problem.y.rows());
  const Index machines = problem.y.cols(), n = problem.x.cols();
  if (options.n_active < 1 || options.n_active > n || problem.y.rows() != n ||
      problem.prior_mean.size() != machines)
    throw InvalidSpec("the size of the active set, the response or the prior mean does not fit");
  const BoundKernel bound(problem.kernel, problem.x);
  FitResult result;
  result.latents.resize(machines);
  const auto stream = [&](Index c) {
    return Rng(seed, static_cast<std::uint64_t>(first_machine + c));
  };
  if (machines == 1) {
    result.latents[0] = fit_one(bound, problem, 0, options, nullptr, stream(0), ctx);
  } else {
    ColumnCache cache(bound,
                      static_cast<Index>(kCacheShare * static_cast<double>(options.n_active)));
    Context shared = ctx;
    shared.threads = problem.kernel.usable_threads(ctx.threads);
    parallel_tasks(shared, machines, [&](Index c, const Context& task) {
      result.latents[c] = fit_one(bound, problem, c, options, &cache, stream(c), task);
    });
  }
  for (const auto& latent : result.latents)
    if (static_cast<Index>(latent.posterior.basis.size()) < options.n_active)
      result.reason = "no further row would change the posterior";
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

}  // namespace gpsieve
