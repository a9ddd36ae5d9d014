#include "models/rvm/schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace gpsieve {
namespace {

constexpr Index kCandidatesPerBlock = 64;  // candidates whose columns are computed together
// Share of the progress bar that belongs to the sweep of subspace EM.
constexpr double kSweepProgress = 0.7;

// True if the evidence did not decrease by more than its rounding error. Used by assertions.
[[maybe_unused]] bool not_decreased(double before, double after) {
  return after >= before - 1e-6 * (1.0 + std::abs(before));
}

// The precision at which a function enters the model by the entry rule, or a NaN if the rule
// rejects it (theory.md#subspace-em).
double entry_alpha(RvmModel& model, VectorIn phi, double alpha_start, const RvmOptions& options) {
  constexpr double kRejected = std::numeric_limits<double>::quiet_NaN();
  const double smallest = model.smallest_alpha();
  alpha_start = std::max(alpha_start, smallest);
  if (options.entry == RvmEntry::literal) return options.prune;
  if (options.entry == RvmEntry::fixed) return alpha_start;
  const SparsityQuality f = model.sparsity_quality(phi);
  if (!(f.s > 0.0)) return kRejected;
  if (options.entry == RvmEntry::guarded)
    return evidence_gain(alpha_start, f) > 0.0 ? alpha_start : kRejected;
  const double alpha = optimal_alpha(f, smallest);
  return alpha <= options.prune ? alpha : kRejected;
}

// One sweep visits candidates one by one. A function that the entry rule accepts is added, and one
// EM step on the active functions follows.
class Sweep {
 public:
  Sweep(RvmModel& model, const RvmOptions& options, Trace& trace)
      : model_(model), options_(options), trace_(trace) {}

  void visit(Index candidate, VectorIn phi) {
    const Vector& start = options_.alpha_start;
    const double alpha =
        entry_alpha(model_, phi, start.size() == 1 ? start(0) : start(candidate), options_);
    const bool enters = !std::isnan(alpha);
    [[maybe_unused]] const double before = model_.evidence();
    if (enters) {
      model_.add_function(phi, candidate, alpha);
      model_.entry_e_step();
    } else if (!model_.em_step_after_rejection()) {
      return;
    }
    record(model_, trace_);
    [[maybe_unused]] const double entered = model_.evidence();
    assert(!model_.monotone() || !requires_gain(options_.entry) || not_decreased(before, entered));
    // The M-step does not lower the evidence, but pruning at a finite precision may.
    [[maybe_unused]] const bool pruned = model_.m_step(options_.learn_noise && options_.noise_grow);
    model_.approximate_e_step();
    assert(!model_.monotone() || pruned || not_decreased(entered, model_.evidence()));
  }

 private:
  RvmModel& model_;
  const RvmOptions& options_;
  Trace& trace_;
};

// EM on the active functions until the evidence converges (theory.md#batch-em). `done` is the share
// of the training that is already complete, for the progress report.
bool batch_em(RvmModel& model, const RvmOptions& options, Trace& trace, double done,
              const Context& ctx) {
  record(model, trace);
  for (Index i = 0; i < options.max_iter; ++i) {
    const double before = model.evidence();
    const bool pruned = model.m_step(options.learn_noise);
    model.e_step();
    record(model, trace);
    assert(!model.monotone() || pruned || not_decreased(before, model.evidence()));
    const double change = std::abs(model.evidence() - before);
    if (!pruned && change < options.tol * std::abs(model.evidence())) return true;
    const double share = static_cast<double>(i + 1) / static_cast<double>(options.max_iter);
    ctx.report(done + (1.0 - done) * share, model.active().size());
  }
  return options.max_iter == 0;  // no iteration was asked for
}

}  // namespace

void record(const RvmModel& model, Trace& trace) {
  trace.record({static_cast<Index>(trace.rows().size()), model.evidence(), model.active().size()});
}

bool train_em(RvmModel& model, const RvmDesignMatrix& design, const RvmOptions& options,
              Trace& trace, const Context& ctx) {
  model.add_all_functions(design, options.alpha_start.cwiseMax(model.smallest_alpha()));
  model.e_step();
  return batch_em(model, options, trace, 0.0, ctx);
}

bool train_ssem(RvmModel& model, const RvmDesignMatrix& design, const RvmOptions& options, Rng& rng,
                Trace& trace, const Context& ctx) {
  const Index k = design.size();
  model.e_step();
  record(model, trace);
  Indices order(k);
  std::iota(order.begin(), order.end(), Index{0});
  if (options.random_order) {
    // The intercept stays the first.
    Indices rest(order.begin() + (design.intercept() ? 1 : 0), order.end());
    rng.shuffle_front(rest, static_cast<Index>(rest.size()));
    std::copy(rest.begin(), rest.end(), order.end() - static_cast<Index>(rest.size()));
  }
  Sweep sweep(model, options, trace);
  Matrix block(design.rows(), std::min(k, kCandidatesPerBlock));
  const double all = static_cast<double>(k * options.sweeps);
  for (Index turn = 0; turn < options.sweeps; ++turn)
    for (Index first = 0; first < k; first += kCandidatesPerBlock) {
      const Index count = std::min(kCandidatesPerBlock, k - first);
      design.columns(order.data() + first, count, block.leftCols(count));
      for (Index i = 0; i < count; ++i) {
        const Index candidate = order[first + i];
        if (turn > 0 && model.active().contains(candidate)) continue;
        sweep.visit(candidate, block.col(i));
        ctx.report(kSweepProgress * static_cast<double>(turn * k + first + i + 1) / all,
                   model.active().size());
      }
    }
  return batch_em(model, options, trace, kSweepProgress, ctx);
}

}  // namespace gpsieve
