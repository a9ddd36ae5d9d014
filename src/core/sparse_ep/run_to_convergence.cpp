#include "sparse_ep/run_to_convergence.h"

#include <algorithm>

#include "base/error.h"

namespace gpsieve {
namespace {

constexpr double kMostSkipped = 0.1;  // share of the factors

}  // namespace

SparseEp::Change damped_update(SparseEp& ep, WhitenedRows& rows, EpUpdate& options,
                               const Context& ctx) {
  const double factors =
      static_cast<double>(rows.rows().size) * static_cast<double>(ep.factors().latents());
  for (;;) {
    try {
      const SparseEp::Change change = ep.update(rows, options, ctx);
      if (static_cast<double>(change.skipped) > kMostSkipped * factors)
        options.damping = std::max(0.5 * options.damping, kSmallestDamping);
      return change;
    } catch (const NotPositiveDefinite&) {
      if (options.damping <= kSmallestDamping) throw;
      options.damping *= 0.5;
    }
  }
}

bool run_to_convergence(SparseEp& ep, WhitenedRows& rows, const ConvergenceOptions& options,
                        const Context& ctx) {
  EpUpdate update{options.damping, false};
  for (int pass = 0; pass < options.max_passes; ++pass) {
    const SparseEp::Change change = damped_update(ep, rows, update, ctx);
    ctx.report(static_cast<double>(pass + 1) / options.max_passes, rows.inducing().size());
    if (options.tolerance > 0.0 && change.largest <= options.tolerance * update.damping)
      return true;
  }
  return false;
}

}  // namespace gpsieve
