#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "models/ivm/ivm.h"

namespace gpsieve {
namespace {

Matrix chosen_columns(MatrixIn x, const Indices& columns) {
  Matrix out(x.rows(), static_cast<Index>(columns.size()));
  for (Index i = 0; i < out.cols(); ++i) out.col(i) = x.col(columns[i]);
  return out;
}

Vector chosen(const Vector& values, const Indices& rows) {
  Vector out(values.size() > 0 ? static_cast<Index>(rows.size()) : 0);
  for (Index i = 0; i < out.size(); ++i) out[i] = values[rows[i]];
  return out;
}

// No count may exceed that of the rows.
IvmOptions for_rows(IvmOptions options, Index rows) {
  for (Index* count : {&options.n_active, &options.n_random, &options.n_full, &options.pool})
    *count = std::min(*count, rows);
  return options;
}

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
    result = fit_ivm({problem.kernel,
                      problem.likelihood,
                      chosen_columns(problem.x, rows),
                      chosen_columns(problem.y.transpose(), rows).transpose(),
                      problem.prior_mean,
                      {chosen(problem.cases.weight, rows), chosen(problem.cases.offset, rows)}},
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
