#include "models/greedy/greedy.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "models/greedy/incremental_basis.h"
#include "models/greedy/search.h"

namespace gpsieve {
namespace {

void require_options(const GreedyOptions& options, Index n) {
  if (options.n_basis < 0 || options.n_basis > n || options.max_basis < 1 ||
      options.candidates < 0 || options.block_size < 1)
    throw InvalidSpec("the size of the basis or of the candidate set does not fit the rows");
  for (const Indices& list : options.candidate_lists)
    for (const Index j : list)
      if (j < 0 || j >= n) throw InvalidSpec("a candidate is no row of the data");
}

}  // namespace

GreedyResult fit_greedy(const FitProblem& problem, const GreedyOptions& options, std::uint64_t seed,
                        const Context& ctx, Index first_machine) {
  const Kernel& kernel = problem.kernel;
  const Likelihood& likelihood = problem.likelihood;
  const CaseTerms& cases = problem.cases;
  require_responses(problem, problem.x.cols());
  require_options(options, problem.x.cols());
  require_cases(cases, problem.x.cols());
  // Newton's method fits a warped response, as those of the other likelihoods.
  const bool regression = likelihood.gaussian() && !likelihood.warped();
  const bool scaled = cases.weighted() && regression;
  const BoundKernel bound(kernel, problem.x, scaled ? Vector(cases.weight.cwiseSqrt()) : Vector());
  const Index machines = problem.machines();
  std::vector<GreedyLatent> latents(machines);
  Context own = ctx;
  own.threads = kernel.usable_threads(own.threads);
  const auto fit_one = [&](Index c, const Context& task) {
    const Rng rng(seed, static_cast<std::uint64_t>(first_machine + c));
    const auto fit = regression ? fit_greedy_regression : fit_greedy_newton;
    latents[c] = fit(bound, likelihood, problem.responses(c), problem.prior_mean(c), options, rng,
                     task, cases);
  };
  if (machines == 1) {
    fit_one(0, own);
  } else {
    parallel_tasks(own, machines, fit_one);
  }

  GreedyResult result;
  for (GreedyLatent& latent : latents) {
    result.latents.push_back(std::move(latent.fit));
    result.certificates.push_back(std::move(latent.certificate));
    if (!latent.reason.empty() &&
        (result.reason.empty() || (result.converged && !latent.converged)))
      result.reason = latent.reason;
    result.converged = result.converged && latent.converged;
  }
  return result;
}

Indices pivoted_rows(const Kernel& kernel, Points x, Index m, const Context& ctx) {
  const BoundKernel bound(kernel, x);
  IncrementalBasis basis(bound, std::min(m, x.cols()));
  Vector left = basis.diagonal();
  Context own = ctx;
  own.threads = kernel.usable_threads(own.threads);
  while (basis.size() < basis.capacity()) {
    Index j;
    left.maxCoeff(&j);
    if (basis.in_span(j, left(j))) break;
    const Vector w = basis.row(j);
    const Vector column = basis.kernel_column(j, w, own);
    basis.append(j, column, w, std::sqrt(left(j)));
    left = basis.reduced(left);
  }
  return basis.chosen();
}

}  // namespace gpsieve
