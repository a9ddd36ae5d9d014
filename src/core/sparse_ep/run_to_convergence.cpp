#include "sparse_ep/run_to_convergence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace gpsieve {
namespace {

constexpr double kMostSkipped = 0.1;  // share of the factors
// Passes that settle sites begin with this share of their largest damping; one that gets nearer is
// followed by a damping that is so many times as large.
constexpr double kFirstShare = 0.5, kRecovery = 1.2;

// The shifts of q of all latent functions
Vector shift_of(const SparseEp& ep) {
  const Index m = ep.natural(0).r.size();
  Vector all(m * ep.factors().latents());
  for (Index k = 0; k < ep.factors().latents(); ++k) all.segment(k * m, m) = ep.natural(k).r;
  return all;
}

}  // namespace

Turns::Turns(const SparseEp& ep) : shift_(shift_of(ep)) {}

void Turns::record(const SparseEp& ep) {
  const Vector now = shift_of(ep), step = now - shift_;
  turns_now_ = step_.size() > 0 && step.dot(step_) < 0.0;
  turned_ = turned_ || turns_now_;
  shift_ = now;
  step_ = step;
}

void Turns::visit(Archive& archive) {
  archive.visit(shift_);
  archive.visit(step_);
  archive.visit(turned_);
  archive.visit(turns_now_);
}

double SettlingDamping::first() const { return kFirstShare * most_; }

double SettlingDamping::next(const SparseEp& ep, double damping, double change) {
  turns_.record(ep);
  const bool nearer = !turns_.turns_now() && change <= last_;
  last_ = change;
  return nearer ? std::min(kRecovery * damping, most_) : std::max(0.5 * damping, kSmallestDamping);
}

void SettlingDamping::visit(Archive& archive) {
  turns_.visit(archive);
  archive.visit(most_);
  archive.visit(last_);
}

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
    turns.record(ep);
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

bool settle(SparseEp& ep, WhitenedRows& rows, const SettlingOptions& options, const Context& ctx) {
  const double factors =
      static_cast<double>(rows.rows().size) * static_cast<double>(ep.factors().latents());
  const auto one_pass = [&](const EpUpdate& how) { return ep.update(rows, how, ctx); };
  SettlingDamping damping(ep, 1.0);
  EpUpdate update{damping.first(), false};
  double last_log_z = std::numeric_limits<double>::infinity();
  int level = 0;  // so many passes in succession have hardly changed log Z
  for (int pass = 0; pass < options.max_passes; ++pass) {
    const SparseEp::Change found = damped_update(one_pass, factors, update);
    const double change = found.largest / update.damping;
    if (change <= options.tolerance) return true;
    const double most = options.log_z_tolerance * update.damping;
    level = std::abs(found.log_z - last_log_z) <= most ? level + 1 : 0;
    if (options.log_z_tolerance > 0.0 && level == 2) return true;
    last_log_z = found.log_z;
    update.damping = damping.next(ep, update.damping, change);
    ctx.check();
  }
  return false;
}

}  // namespace gpsieve
