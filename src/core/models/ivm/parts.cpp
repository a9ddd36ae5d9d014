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

std::vector<FitResult> fit_ivm_parts(const Kernel& kernel, const Likelihood& likelihood, Points x,
                                     MatrixIn y, VectorIn prior_mean, const IvmOptions& options,
                                     const std::vector<Indices>& parts, std::uint64_t seed,
                                     const Context& ctx, const CaseTerms& cases,
                                     Index first_machine) {
  require_cases(cases, y.rows());
  if (y.rows() != x.cols()) throw InvalidSpec("inputs and responses differ in their rows");
  std::vector<FitResult> results(parts.size());
  const auto fit = [&](Index part, const Context& task) {
    const Indices& rows = parts[part];
    FitResult& result = results[part];
    result = fit_ivm(kernel, likelihood, chosen_columns(x, rows), chosen_rows(y, rows), prior_mean,
                     for_rows(options, static_cast<Index>(rows.size())), seed, task,
                     chosen(cases, rows), first_machine + part * y.cols());
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
    shared.threads = kernel.usable_threads(ctx.threads);
    parallel_tasks(shared, count, fit);
  }
  return results;
}

}  // namespace gpsieve
