// Fits to parts of the rows, such as the leaves of a partition: the parts are the tasks of the
// threads.
#ifndef GPSIEVE_MODELS_PARTS_H
#define GPSIEVE_MODELS_PARTS_H

#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "models/chosen_rows.h"
#include "models/fit_problem.h"
#include "models/fit_result.h"

namespace gpsieve {

// The result of a fit to some rows, with the numbers that these have among all rows.
inline void name_rows(FitResult& result, const Indices& rows) {
  for (LatentFit& latent : result.latents)
    for (Indices* numbers : {&latent.posterior.basis, &latent.site_rows})
      for (Index& number : *numbers) number = rows[number];
}

// fit(problem of the part's rows, number of the part, context) for each part. Parts may overlap.
template <class Fit>
std::vector<FitResult> fit_parts(const FitProblem& problem, const std::vector<Indices>& parts,
                                 const Context& ctx, const Fit& fit) {
  require_cases(problem.cases, problem.y.rows());
  if (problem.y.rows() != problem.x.cols())
    throw InvalidSpec("inputs and responses differ in their rows");
  std::vector<FitResult> results(parts.size());
  const auto fit_part = [&](Index part, const Context& task) {
    const Indices& rows = parts[part];
    const Matrix x = chosen_columns(problem.x, rows), y = chosen_rows(problem.y, rows);
    results[part] = fit(
        {problem.kernel, problem.likelihood, x, y, problem.prior_mean, chosen(problem.cases, rows)},
        part, task);
    name_rows(results[part], rows);
  };
  const Index count = static_cast<Index>(parts.size());
  if (count == 1) {
    fit_part(0, ctx);
  } else {
    Context shared = ctx;
    shared.threads = problem.kernel.usable_threads(ctx.threads);
    parallel_tasks(shared, count, fit_part);
  }
  return results;
}

}  // namespace gpsieve

#endif
