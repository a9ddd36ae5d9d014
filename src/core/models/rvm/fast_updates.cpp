// Fast updates (Tipping & Faul 2003): every step adds, re-estimates or removes the one function for
// which this raises the log evidence most (theory.md#fast-updates).
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/constants.h"
#include "models/rvm/schedule.h"

namespace gpsieve {
namespace {

// A candidate counts as a linear combination of the active functions if its sparsity is below this
// share of its sparsity in the empty model.
constexpr double kInSpan = 1e-10;
// The noise variance has converged when its logarithm changes by less.
constexpr double kNoiseTolerance = 1e-6;
// Precision of the first function of a regression if no precision has a gain.
constexpr double kFirstAlpha = 1e3;

enum class Action { none, add, reestimate, remove };

struct FastUpdate {
  Action action = Action::none;
  Index candidate = -1;
  double alpha = kInfinity;
  double gain = -kInfinity;
};

struct UpdateRules {
  bool keep_one;          // the last active function is never removed
  double largest_alpha;   // no function is given a larger precision
  Vector empty_sparsity;  // sparsity of the candidates in the empty model; empty: not compared
};

// The factors s and q of all candidates. For an active function they leave the function out,
// theory.md (18): the alternative alpha S / (alpha - S) loses its digits by cancellation where the
// data determine the weight well.
void all_factors(RvmModel& model, const RvmDesignMatrix& design, Vector& s, Vector& q) {
  model.all_sparsity_quality(design, s, q);
  for (Index j = 0; j < model.active().size(); ++j) {
    const double variance = model.posterior().variances()(j);
    const Index candidate = model.active().index()[j];
    s(candidate) = 1.0 / variance - model.active().alpha()(j);
    q(candidate) = model.mean()(j) / variance;
  }
}

FastUpdate best_update(RvmModel& model, const RvmDesignMatrix& design, const UpdateRules& rules) {
  const Index k = design.size();
  Vector s(k), q(k);
  all_factors(model, design, s, q);
  Indices position(k, -1);
  for (Index j = 0; j < model.active().size(); ++j) position[model.active().index()[j]] = j;
  FastUpdate best;
  for (Index i = 0; i < k; ++i) {
    const SparsityQuality f{s(i), q(i)};
    const bool active = position[i] >= 0;
    const double alpha = optimal_alpha(f, model.smallest_alpha());
    const double present = active ? evidence_gain(model.active().alpha()(position[i]), f) : 0.0;
    FastUpdate update{Action::none, i, alpha, -kInfinity};
    if (std::isfinite(alpha)) {
      if (alpha > rules.largest_alpha) continue;
      if (!active && rules.empty_sparsity.size() > 0 && f.s < kInSpan * rules.empty_sparsity(i))
        continue;
      update.action = active ? Action::reestimate : Action::add;
      update.gain = evidence_gain(alpha, f) - present;
    } else if (active && !(rules.keep_one && model.active().size() == 1)) {
      update.action = Action::remove;
      update.gain = -present;
    }
    if (update.action != Action::none && update.gain > best.gain) best = update;
  }
  return best;
}

void apply(RvmModel& model, const RvmDesignMatrix& design, const FastUpdate& update) {
  if (update.action == Action::add) {
    Matrix column(design.rows(), 1);
    design.columns(&update.candidate, 1, column);
    model.add_function(column.col(0), update.candidate, update.alpha);
    return;
  }
  Indices others;
  for (Index j = 0; j < model.active().size(); ++j) {
    if (model.active().index()[j] != update.candidate)
      others.push_back(j);
    else if (update.action == Action::reestimate)
      model.set_alpha(j, update.alpha);
  }
  if (update.action == Action::remove) model.keep_functions(others);
}

// The candidate of largest q^2 / s in the empty model, at its optimal precision.
FastUpdate first_update(VectorIn s, VectorIn q, double smallest_alpha) {
  Index first;
  q.cwiseAbs2().cwiseQuotient(s.cwiseMax(std::numeric_limits<double>::min())).maxCoeff(&first);
  const double alpha = optimal_alpha({s(first), q(first)}, smallest_alpha);
  return {Action::add, first, std::isfinite(alpha) ? alpha : std::max(kFirstAlpha, smallest_alpha),
          0.0};
}

void report(const RvmModel& model, Index step, const RvmOptions& options, const Context& ctx) {
  ctx.report(static_cast<double>(step) / static_cast<double>(options.max_iter),
             model.active().size());
}

}  // namespace

bool train_fast_regression(RvmModel& model, const RvmDesignMatrix& design,
                           const RvmOptions& options, Trace& trace, const Context& ctx) {
  model.e_step();
  Vector s(design.size()), q(design.size());
  model.all_sparsity_quality(design, s, q);
  const Vector norms = s * model.noise();
  apply(model, design, first_update(s, q, model.smallest_alpha()));
  model.e_step();
  record(model, trace);
  for (Index step = 1; step <= options.max_iter; ++step) {
    const FastUpdate update = best_update(model, design, {true, kInfinity, norms / model.noise()});
    const bool stationary = !(update.gain >= options.tol);
    if (!stationary) {
      apply(model, design, update);
      model.e_step();
    }
    const double before = model.evidence();
    double noise_change = 0.0;
    if (options.learn_noise) {
      noise_change = model.mackay_noise_update();
      model.e_step();
    }
    record(model, trace);
    if (stationary && noise_change < kNoiseTolerance &&
        std::abs(model.evidence() - before) < options.tol)
      return true;
    report(model, step, options, ctx);
  }
  return options.max_iter == 0;
}

bool train_fast_classification(RvmModel& model, const RvmDesignMatrix& design,
                               const RvmOptions& options, Trace& trace, const Context& ctx) {
  model.e_step();
  record(model, trace);
  for (Index step = 1; step <= options.max_iter; ++step) {
    const FastUpdate update = best_update(model, design, {false, options.prune, Vector()});
    if (!(update.gain >= options.tol)) return true;
    apply(model, design, update);
    model.e_step();
    record(model, trace);
    report(model, step, options, ctx);
  }
  return options.max_iter == 0;
}

}  // namespace gpsieve
