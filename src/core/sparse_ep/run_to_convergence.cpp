#include "sparse_ep/run_to_convergence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace gpsieve {
namespace {

constexpr double kMostSkipped = 0.1;  // share of the factors
// Passes that settle sites begin with the first damping; one that gets nearer is followed by a
// damping that is so many times as large.
constexpr double kSettlingDamping = 0.5, kRecovery = 1.2;

// Whether a pass has moved the shift of q against the direction of the pass before.
class Turns {
 public:
  explicit Turns(const SparseEp& ep) : ep_(ep), shift_(shift()) {}
  void record() {
    const Vector now = shift(), step = now - shift_;
    turns_now_ = step_.size() > 0 && step.dot(step_) < 0.0;
    turned_ = turned_ || turns_now_;
    shift_ = now;
    step_ = step;
  }
  bool turned() const { return turned_; }        // in any pass
  bool turns_now() const { return turns_now_; }  // in the last one

 private:
  Vector shift() const {
    const Index m = ep_.natural(0).r.size();
    Vector all(m * ep_.factors().latents());
    for (Index k = 0; k < ep_.factors().latents(); ++k) all.segment(k * m, m) = ep_.natural(k).r;
    return all;
  }

  const SparseEp& ep_;
  Vector shift_, step_;
  bool turned_ = false, turns_now_ = false;
};

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

Convergence run_to_convergence(SparseEp& ep, WhitenedRows& rows, const ConvergenceOptions& options,
                               const Context& ctx) {
  EpUpdate update{options.damping, false};
  const double factors =
      static_cast<double>(rows.rows().size) * static_cast<double>(ep.factors().latents());
  const auto one_pass = [&](const EpUpdate& how) { return ep.update(rows, how, ctx); };
  double last_log_z = std::numeric_limits<double>::infinity();
  Turns turns(ep);
  Convergence result;
  for (int pass = 0; pass < options.max_passes && !result.reached; ++pass) {
    if (pass >= options.full_passes && turns.turned())
      update.damping = std::min(update.damping, options.turned_damping);
    const SparseEp::Change change = damped_update(one_pass, factors, update);
    turns.record();
    ctx.report(static_cast<double>(pass + 1) / options.max_passes, rows.inducing().size());
    result.change = change.largest / update.damping;
    result.reached =
        (options.tolerance > 0.0 && change.largest <= options.tolerance * update.damping) ||
        (options.log_z_tolerance > 0.0 &&
         std::abs(change.log_z - last_log_z) <= options.log_z_tolerance * update.damping);
    last_log_z = change.log_z;
  }
  return result;
}

bool settle(SparseEp& ep, WhitenedRows& rows, int max_passes, double tolerance,
            const Context& ctx) {
  EpUpdate update{kSettlingDamping, false};
  const double factors =
      static_cast<double>(rows.rows().size) * static_cast<double>(ep.factors().latents());
  const auto one_pass = [&](const EpUpdate& how) { return ep.update(rows, how, ctx); };
  double last = std::numeric_limits<double>::infinity();
  Turns turns(ep);
  for (int pass = 0; pass < max_passes; ++pass) {
    const double change = damped_update(one_pass, factors, update).largest / update.damping;
    if (change <= tolerance) return true;
    turns.record();
    update.damping = turns.turns_now() || change > last
                         ? std::max(0.5 * update.damping, kSmallestDamping)
                         : std::min(kRecovery * update.damping, kSettlingDamping);
    last = change;
    ctx.check();
  }
  return false;
}

}  // namespace gpsieve
