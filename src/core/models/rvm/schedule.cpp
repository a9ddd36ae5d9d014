#include "models/rvm/schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace gpsieve {
namespace {

constexpr Index kBlock = 64;  // candidates whose columns are fetched together
// The share of a fit that the sweep is taken to be, for the progress bar.
constexpr double kSweepShare = 0.7;

// Rounding in the log determinant and the misfit; an exact step loses nothing.
[[maybe_unused]] bool no_loss(double before, double after) {
  return after >= before - 1e-6 * (1.0 + std::abs(before));
}

// The precision to enter with, or a NaN for a function that stays outside (section 3).
double entry_alpha(RvmMachine& machine, VectorIn phi, double alpha_start,
                   const RvmOptions& options) {
  constexpr double stay = std::numeric_limits<double>::quiet_NaN();
  if (options.entry == RvmEntry::literal) return options.prune;
  if (options.entry == RvmEntry::fixed) return alpha_start;
  const EntryFactors f = machine.look(phi);
  if (!(f.s > 0.0)) return stay;
  if (options.entry == RvmEntry::guarded)
    return entry_gain(alpha_start, f) > 0.0 ? alpha_start : stay;
  const double alpha = best_alpha(f);
  return alpha <= options.prune ? alpha : stay;
}

bool gainful(RvmEntry entry) { return entry == RvmEntry::optimal || entry == RvmEntry::guarded; }

class Sweep {
 public:
  Sweep(RvmMachine& machine, const RvmOptions& options, Trace& trace)
      : machine_(machine), options_(options), trace_(trace) {}

  void visit(Index candidate, VectorIn phi) {
    const Vector& start = options_.alpha_start;
    const double alpha =
        entry_alpha(machine_, phi, start.size() == 1 ? start(0) : start(candidate), options_);
    const bool enters = !std::isnan(alpha);
    [[maybe_unused]] const double before = machine_.evidence();
    if (enters) {
      machine_.admit(phi, candidate, alpha);
      machine_.expect_roughly();
    } else if (!machine_.steps_after_refusal()) {
      return;
    }
    record(machine_, trace_);
    [[maybe_unused]] const double entered = machine_.evidence();
    assert(!machine_.ascends() || !gainful(options_.entry) || no_loss(before, entered));
    // Pruning at a finite precision may cost a little; the step itself may not.
    [[maybe_unused]] const bool pruned = machine_.maximise(true);
    machine_.expect_roughly();
    assert(!machine_.ascends() || pruned || no_loss(entered, machine_.evidence()));
  }

 private:
  RvmMachine& machine_;
  const RvmOptions& options_;
  Trace& trace_;
};

bool batch_phase(RvmMachine& machine, const RvmOptions& options, Trace& trace, double done,
                 const Context& ctx) {
  record(machine, trace);
  for (Index i = 0; i < options.max_iter; ++i) {
    const double before = machine.evidence();
    const bool pruned = machine.maximise(false);
    machine.expect();
    record(machine, trace);
    assert(!machine.ascends() || pruned || no_loss(before, machine.evidence()));
    const double change = std::abs(machine.evidence() - before);
    if (!pruned && change < options.tol * std::abs(machine.evidence())) return true;
    const double share = static_cast<double>(i + 1) / static_cast<double>(options.max_iter);
    ctx.report(done + (1.0 - done) * share, machine.active().size());
  }
  return options.max_iter == 0;  // then nobody asked for convergence
}

}  // namespace

void record(const RvmMachine& machine, Trace& trace) {
  trace.record(
      {static_cast<Index>(trace.rows().size()), machine.evidence(), machine.active().size()});
}

bool train_em(RvmMachine& machine, const RvmCandidates& candidates, const RvmOptions& options,
              Trace& trace, const Context& ctx) {
  machine.admit_all(candidates, options.alpha_start);
  machine.expect();
  return batch_phase(machine, options, trace, 0.0, ctx);
}

bool train_ssem(RvmMachine& machine, const RvmCandidates& candidates, const RvmOptions& options,
                Rng& rng, Trace& trace, const Context& ctx) {
  const Index k = candidates.size();
  machine.expect();
  record(machine, trace);
  Indices order(k);
  std::iota(order.begin(), order.end(), Index{0});
  if (options.random_order) {
    // The intercept comes first in any order.
    Indices rest(order.begin() + (candidates.intercept() ? 1 : 0), order.end());
    rng.shuffle_front(rest, static_cast<Index>(rest.size()));
    std::copy(rest.begin(), rest.end(), order.end() - static_cast<Index>(rest.size()));
  }
  Sweep sweep(machine, options, trace);
  Matrix block(candidates.rows(), std::min(k, kBlock));
  const double all = static_cast<double>(k * options.sweeps);
  for (Index turn = 0; turn < options.sweeps; ++turn)
    for (Index first = 0; first < k; first += kBlock) {
      const Index count = std::min(kBlock, k - first);
      candidates.columns(order.data() + first, count, block.leftCols(count));
      for (Index i = 0; i < count; ++i) {
        const Index candidate = order[first + i];
        if (turn > 0 && machine.active().contains(candidate)) continue;
        sweep.visit(candidate, block.col(i));
        ctx.report(kSweepShare * static_cast<double>(turn * k + first + i + 1) / all,
                   machine.active().size());
      }
    }
  return batch_phase(machine, options, trace, kSweepShare, ctx);
}

}  // namespace gpsieve
