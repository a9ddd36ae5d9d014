#include "base/error.h"
#include "base/parallel.h"
#include "models/ivm/chosen_rows.h"
#include "models/ivm/ivm.h"

namespace gpsieve {
namespace {

void rename(Indices& numbers, const Indices& rows) {
  for (Index& number : numbers) number = rows[number];
}

}  // namespace

std::vector<FitResult> fit_ivm_parts(const FitProblem& problem, const IvmOptions& options,
                                     const std::vector<Indices>& parts, std::uint64_t seed,
                                     const Context& ctx, Index first_machine) {
  require_cases(problem.cases, problem.y.rows());
  if (problem.y.rows() != problem.x.cols())
    throw InvalidSpec("inputs and responses differ in their rows");
  std::vector<FitResult> results(parts.size());
  const auto fit = [&](Index part, const Context& task) {
    const Indices& rows = parts[part];
    FitResult& result = results[part];
    result =
        fit_ivm({problem.kernel, problem.likelihood, chosen_columns(problem.x, rows),
                 chosen_rows(problem.y, rows), problem.prior_mean, chosen(problem.cases, rows)},
                for_rows(options, static_cast<Index>(rows.size())), seed, task,
                first_machine + part * problem.y.cols());
    for (LatentFit& latent : result.latents) {
      rename(latent.posterior.basis, rows);
      rename(latent.site_rows, rows);
    }
  };
  const Index count = static_cast<Index>(parts.size());
  if (count == 1) {
    fit(0, ctx);
  } else {
    Context shared = ctx;
    shared.threads = problem.kernel.usable_threads(ctx.threads);
    parallel_tasks(shared, count, fit);
  }
  return results;
}

}  // namespace gpsieve
