#include "models/parts.h"

#include "models/ivm/ivm.h"

namespace gpsieve {

std::vector<FitResult> fit_ivm_parts(const FitProblem& problem, const IvmOptions& options,
                                     const std::vector<Indices>& parts, std::uint64_t seed,
                                     const Context& ctx, Index first_machine) {
  return fit_parts(problem, parts, ctx,
                   [&](const FitProblem& part, Index number, const Context& task) {
                     return fit_ivm(part, for_rows(options, part.x.cols()), seed, task,
                                    first_machine + number * problem.machines());
                   });
}

}  // namespace gpsieve
