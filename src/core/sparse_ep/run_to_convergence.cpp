#include "sparse_ep/run_to_convergence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace gpsieve {
namespace {

constexpr double kMostSkipped = 0.1;  // share of the factors

}  // namespace

SparseEp::Change damped_update(const std::function<SparseEp::Change(const EpUpdate&)>& update,
                               double factors, EpUpdate& options) {
  for (;;) {
    try {
      const SparseEp::Change change = update(options);
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
  const double factors =
      static_cast<double>(rows.rows().size) * static_cast<double>(ep.factors().latents());
  const auto one_pass = [&](const EpUpdate& how) { return ep.update(rows, how, ctx); };
  double last_log_z = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < options.max_passes; ++pass) {
    if (pass >= options.full_passes)
      update.damping = std::min(update.damping, options.later_damping);
    const SparseEp::Change change = damped_update(one_pass, factors, update);
    ctx.report(static_cast<double>(pass + 1) / options.max_passes, rows.inducing().size());
    if (options.tolerance > 0.0 && change.largest <= options.tolerance * update.damping)
      return true;
    if (options.log_z_tolerance > 0.0 &&
        std::abs(change.log_z - last_log_z) <= options.log_z_tolerance * update.damping)
      return true;
    last_log_z = change.log_z;
  }
  return false;
}

}  // namespace gpsieve
