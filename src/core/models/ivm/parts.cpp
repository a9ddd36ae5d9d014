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
    result = fit_ivm(kernel, likelihood, chosen_columns(x, rows),
                     chosen_columns(y.transpose(), rows).transpose(), prior_mean,
                     for_rows(options, static_cast<Index>(rows.size())), seed, task,
                     {chosen(cases.weight, rows), chosen(cases.offset, rows)},
                     first_machine + part * y.cols());
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
