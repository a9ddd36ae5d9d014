// The fast updates of Tipping & Faul (2003): one function at a time, each time the one whose
// entry, re-estimation or removal gains most (math: relevance vectors, section 6).
#include <cmath>
#include <limits>

#include "models/rvm/schedule.h"

namespace gpsieve {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNumericallyInSpan = 1e-10;  // s in units of phi' C_empty^-1 phi
constexpr double kSettledNoise = 1e-6;        // of a change of the log noise
constexpr double kWeakStart = 1e3;            // precision of a first function that explains nothing

enum class Action { none, add, reestimate, remove };

struct Move {
  Action action = Action::none;
  Index candidate = -1;
  double alpha = kInfinity;
  double gain = -kInfinity;
};

struct Rules {
  bool keep_one;         // never remove the last function
  double largest_alpha;  // a function whose best precision is larger is left as it is
  Vector alone;          // phi' C_empty^-1 phi per candidate; empty: no test of the span
};

// The factors of all candidates, those of the active ones without themselves: from Sigma_jj and
// the mean, since alpha S / (alpha - S) loses everything where a weight is well determined.
Move best_move(RvmMachine& machine, const RvmCandidates& candidates, const Rules& rules) {
  const Index k = candidates.size();
  Vector s(k), q(k);
  machine.all_factors(candidates, s, q);
  Indices position(k, -1);
  for (Index j = 0; j < machine.active().size(); ++j) {
    const double variance = machine.posterior().variances()(j);
    const Index candidate = machine.active().index()[j];
    position[candidate] = j;
    s(candidate) = 1.0 / variance - machine.active().alpha()(j);
    q(candidate) = machine.mean()(j) / variance;
  }
  Move best;
  for (Index i = 0; i < k; ++i) {
    const EntryFactors f{s(i), q(i)};
    const bool inside = position[i] >= 0;
    const double alpha = best_alpha(f);
    const double present = inside ? entry_gain(machine.active().alpha()(position[i]), f) : 0.0;
    Move move{Action::none, i, alpha, -kInfinity};
    if (std::isfinite(alpha)) {
      if (alpha > rules.largest_alpha) continue;
      if (!inside && rules.alone.size() > 0 && f.s < kNumericallyInSpan * rules.alone(i)) continue;
      move.action = inside ? Action::reestimate : Action::add;
      move.gain = entry_gain(alpha, f) - present;
    } else if (inside && !(rules.keep_one && machine.active().size() == 1)) {
      move.action = Action::remove;
      move.gain = -present;
    }
    if (move.action != Action::none && move.gain > best.gain) best = move;
  }
  return best;
}

void make_move(RvmMachine& machine, const RvmCandidates& candidates, const Move& move) {
  if (move.action == Action::add) {
    Matrix column(candidates.rows(), 1);
    candidates.columns(&move.candidate, 1, column);
    machine.admit(column.col(0), move.candidate, move.alpha);
    return;
  }
  Indices others;
  for (Index j = 0; j < machine.active().size(); ++j) {
    if (machine.active().index()[j] != move.candidate)
      others.push_back(j);
    else if (move.action == Action::reestimate)
      machine.set_alpha(j, move.alpha);
  }
  if (move.action == Action::remove) machine.keep(others);
}

void report(const RvmMachine& machine, Index step, const RvmOptions& options, const Context& ctx) {
  ctx.report(static_cast<double>(step) / static_cast<double>(options.max_iter),
             machine.active().size());
}

}  // namespace

bool train_fast_regression(RvmMachine& machine, const RvmCandidates& candidates,
                           const RvmOptions& options, Trace& trace, const Context& ctx) {
  machine.expect();
  Vector s(candidates.size()), q(candidates.size());
  machine.all_factors(candidates, s, q);
  const Vector norms = s * machine.noise();
  Index first;
  (q.cwiseAbs2().cwiseQuotient(s.cwiseMax(std::numeric_limits<double>::min()))).maxCoeff(&first);
  const double alpha = best_alpha({s(first), q(first)});
  make_move(machine, candidates,
            {Action::add, first, std::isfinite(alpha) ? alpha : kWeakStart, 0.0});
  machine.expect();
  record(machine, trace);
  for (Index step = 1; step <= options.max_iter; ++step) {
    const Move move = best_move(machine, candidates, {true, kInfinity, norms / machine.noise()});
    const bool stationary = !(move.gain >= options.tol);
    if (!stationary) {
      make_move(machine, candidates, move);
      machine.expect();
    }
    const double before = machine.evidence();
    double moved = 0.0;
    if (options.learn_noise) {
      moved = machine.update_noise();
      machine.expect();
    }
    record(machine, trace);
    if (stationary && moved < kSettledNoise && std::abs(machine.evidence() - before) < options.tol)
      return true;
    report(machine, step, options, ctx);
  }
  return options.max_iter == 0;
}

bool train_fast_classification(RvmMachine& machine, const RvmCandidates& candidates,
                               const RvmOptions& options, Trace& trace, const Context& ctx) {
  machine.expect();
  record(machine, trace);
  for (Index step = 1; step <= options.max_iter; ++step) {
    const Move move = best_move(machine, candidates, {false, options.prune, Vector()});
    if (!(move.gain >= options.tol)) return true;
    make_move(machine, candidates, move);
    machine.expect();
    record(machine, trace);
    report(machine, step, options, ctx);
  }
  return options.max_iter == 0;
}

}  // namespace gpsieve
