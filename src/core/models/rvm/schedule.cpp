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
// A second sweep follows by itself where the first lowered the noise variance by this factor.
constexpr double kMuchLessNoise = 0.1;

// True if the evidence did not decrease by more than its rounding error. Used by assertions.
[[maybe_unused]] bool not_decreased(double before, double after) {
  return after >= before - 1e-6 * (1.0 + std::abs(before));
}

// The precision at which a function enters the model by the entry rule, or a NaN if the rule
// rejects it (theory.md#subspace-em).
double entry_alpha(RvmModel& model, VectorIn phi, double alpha_start, RvmEntry entry,
                   const RvmOptions& options) {
  constexpr double kRejected = std::numeric_limits<double>::quiet_NaN();
  const double smallest = model.smallest_alpha();
  alpha_start = std::max(alpha_start, smallest);
  if (entry == RvmEntry::literal) return options.prune;
  if (entry == RvmEntry::fixed) return alpha_start;
  const SparsityQuality f = model.sparsity_quality(phi);
  if (!(f.s > 0.0)) return kRejected;
  if (entry == RvmEntry::guarded)
    return evidence_gain(alpha_start, f) > 0.0 ? alpha_start : kRejected;
  const double alpha = optimal_alpha(f, smallest);
  return alpha <= options.prune ? alpha : kRejected;
}

// One sweep visits candidates one by one. A function that the entry rule accepts is added, and one
// EM step on the active functions follows.
class Sweep {
 public:
  Sweep(RvmModel& model, const RvmOptions& options, RvmEntry entry, Trace& trace)
      : model_(model), options_(options), entry_(entry), trace_(trace) {}

  void visit(Index candidate, VectorIn phi) {
    const Vector& start = options_.alpha_start;
    const double alpha =
        entry_alpha(model_, phi, start.size() == 1 ? start(0) : start(candidate), entry_, options_);
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
    assert(!model_.monotone() || !requires_gain(entry_) || not_decreased(before, entered));
    // The M-step does not lower the evidence, but pruning at a finite precision may.
    [[maybe_unused]] const bool pruned = model_.m_step(options_.learn_noise && options_.noise_grow);
    model_.approximate_e_step();
    assert(!model_.monotone() || pruned || not_decreased(entered, model_.evidence()));
    largest_noise_ = std::max(largest_noise_, model_.noise());
  }
  bool lowered_noise_much() const { return model_.noise() < kMuchLessNoise * largest_noise_; }

 private:
  RvmModel& model_;
  const RvmOptions& options_;
  RvmEntry entry_;
  Trace& trace_;
  double largest_noise_ = 0.0;  // after the M-steps of this sweep
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
  Matrix block(design.rows(), std::min(k, kCandidatesPerBlock));
  const Index most = options.sweeps == 0 ? 2 : options.sweeps;
  const auto visit_all = [&](Index turn, RvmEntry entry) {
    Sweep sweep(model, options, entry, trace);
    const double all = static_cast<double>(k * most);
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
    return sweep.lowered_noise_much();
  };
  if (options.sweeps == 0) {
    const bool again = visit_all(0, options.entry) && requires_gain(options.entry);
    if (again) visit_all(1, RvmEntry::fixed);
  }
  for (Index turn = 0; turn < options.sweeps; ++turn) visit_all(turn, options.entry);
  return batch_em(model, options, trace, kSweepProgress, ctx);
}

}  // namespace gpsieve
