#include "sparse_ep/settle_ep.h"

#include <algorithm>

#include "base/error.h"

namespace gpsieve {
namespace {

constexpr double kSkippedShare = 0.1;
constexpr double kSmallestDamping = 1.0 / 64.0;

}  // namespace

SparseEp::Change careful_update(SparseEp& ep, WhitenedRows& rows, EpUpdate& options,
                                const Context& ctx) {
  const double factors =
      static_cast<double>(rows.rows().size) * static_cast<double>(ep.factors().latents());
  for (;;) {
    try {
      const SparseEp::Change change = ep.update(rows, options, ctx);
      if (static_cast<double>(change.skipped) > kSkippedShare * factors)
        options.damping = std::max(0.5 * options.damping, kSmallestDamping);
      return change;
    } catch (const NotPositiveDefinite&) {
      if (options.damping <= kSmallestDamping) throw;
      options.damping *= 0.5;
    }
  }
}

bool settle(SparseEp& ep, WhitenedRows& rows, const SettleOptions& options, const Context& ctx) {
  EpUpdate update{options.damping, false};
  for (int pass = 0; pass < options.max_passes; ++pass) {
    const SparseEp::Change change = careful_update(ep, rows, update, ctx);
    ctx.report(static_cast<double>(pass + 1) / options.max_passes, rows.inducing().size());
    if (options.tolerance > 0.0 && change.largest <= options.tolerance * update.damping)
      return true;
  }
  return false;
}

}  // namespace gpsieve
