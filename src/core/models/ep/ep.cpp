#include "models/ep/ep.h"

#include <chrono>
#include <string>

#include "base/error.h"
#include "models/ep/approximation.h"
#include "models/ep/batches.h"
#include "models/ep/best_state.h"
#include "models/ep/continued_trace.h"
#include "models/ep/learner.h"
#include "sparse_ep/run_to_convergence.h"

namespace gpsieve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Index kTraceRows = 500;
// theory.md#iteration: passes with the damping that was asked for, before it follows them.
constexpr Index kPlainPasses = 20;
// Most passes at the values of the last step of learning.
constexpr Index kLastPasses = 20;

// The iterations of a fit: theory.md#iteration.
class EpFitter {
 public:
  EpFitter(const EpProblem& problem, const EpFitOptions& options, const EpCheckpoints& checkpoints,
           const Context& ctx)
      : factors_(problem.factors),
        options_(options),
        settles_last_step_(!problem.held_out.factors),
        checkpoints_(checkpoints),
        ctx_(ctx),
        trace_(Trace(options.iterations, kTraceRows)),
        learner_(problem, options.learning),
        batches_(problem.passes.rows(), options.batch_size, options.window, options.shuffle,
                 problem.seed),
        // sparse_ep/theory.md#changing-the-hyper-parameters
        q_(problem, options,
           options.schedule == Schedule::ep && learner_.any() && !batches_.all_rows(),
           learner_.any(), ctx),
        best_(problem.held_out, options,
              options.batch_size > 0 ? options.batch_size : problem.passes.rows()),
        update_{options.damping, options.warm_start},
        settling_(q_.ep(), options.damping) {}

  EpFit run() {
    if (!checkpoints_.from.empty()) resume();
    bool stopped = false;
    while (!stopped && iteration_ < options_.iterations) {
      ++iteration_;
      stopped = iterate();
      if (!stopped) save_if_due();
    }
    std::string reason;
    if (has_fixed_point() && !stopped && !exact_in_one_pass())
      reason = "not converged after " + std::to_string(options_.iterations) + " passes";
    best_.restore(q_, learner_);
    if (settles_last_step_) settle_last_step();
    return q_.finish(trace_.rows(), reason);
  }

 private:
  // At fixed hyper-parameters and over all rows EP and SEP have a fixed point; ADF has none.
  bool has_fixed_point() const {
    return !learner_.any() && batches_.all_rows() && options_.schedule != Schedule::adf;
  }
  // The sites are those of the values before the last step of learning: theory.md#iteration.
  void settle_last_step() {
    if (!learner_.any() || !batches_.all_rows() || options_.schedule == Schedule::adf) return;
    q_.refresh();
    const EpApproximation::State learned = q_.state();
    try {
      for (Index pass = 0; pass < kLastPasses; ++pass) {
        const SparseEp::Change change = q_.update(batches_.next(), update_);
        if (change.largest <= options_.tolerance * update_.damping) return;
      }
    } catch (const NotPositiveDefinite&) {
      q_.restore(learned);
    }
  }
  bool exact_in_one_pass() const { return factors_.gaussian() && options_.damping == 1.0; }

  // One update and one step of learning; true if the fit should stop.
  bool iterate() {
    const RowSet rows = batches_.next();
    SparseEp::Change change;
    try {
      change = q_.update(rows, update_);
    } catch (const NotPositiveDefinite&) {
      if (settles_ || !has_fixed_point()) throw;
      settle_from_now_on(true);
      return false;
    }
    if (record(learner_.any() ? learn(rows.size) : change.log_z)) return true;
    ctx_.report(static_cast<double>(iteration_) / static_cast<double>(options_.iterations),
                q_.size());
    if (!has_fixed_point()) return false;
    if (change.largest <= options_.tolerance * update_.damping) return true;
    const double undamped = change.largest / update_.damping;
    if (settles_)
      update_.damping = settling_.next(q_.ep(), update_.damping, undamped);
    else if (iteration_ >= kPlainPasses)
      settle_from_now_on(!(undamped <= kRunsAway));
    return false;
  }

  void settle_from_now_on(bool anew) {
    if (anew) q_.begin_anew();
    settles_ = true;
    settling_ = SettlingDamping(q_.ep(), options_.damping);
    update_.damping = settling_.first();
  }

  // One step of learning from so many rows; returns their log Z before it.
  double learn(Index rows) {
    const double scale = static_cast<double>(factors_.rows()) / static_cast<double>(rows);
    const EpEvidence found = q_.evidence(scale, options_.learning.inducing);
    learner_.step(found, q_, update_.damping);
    return found.log_z;
  }

  // Records the iteration; true if the fit should stop because of the held-out rows.
  bool record(double objective) {
    const bool evaluated = best_.due(iteration_);
    const double loss = evaluated ? best_.evaluate(q_, learner_, iteration_) : TraceRow::kUnknown;
    if (evaluated || iteration_ == 1 || trace_.due(iteration_))
      trace_.record({iteration_, objective, q_.size(), loss});
    return evaluated && best_.exhausted(iteration_);
  }

  // The state between two iterations. The batches are a function of the seed and the number of
  // iterations, and q and the factor of K_uu follow from what is visited.
  void visit(Archive& archive) {
    archive.visit(iteration_);
    archive.visit(update_.damping);
    archive.visit(settles_);
    settling_.visit(archive);
    learner_.visit(archive);
    trace_.visit(archive);
    best_.visit(archive, q_, learner_, ctx_.threads);
    EpParameters& parameters = learner_.parameters();
    Vector values = parameters.values();
    archive.visit(values);
    if (archive.reading()) {
      parameters.set(values);
      q_.make_inducing(parameters.inducing());
    }
    q_.visit(archive);
  }

  void resume() {
    Archive state(checkpoints_.from);
    visit(state);
    state.expect_end();
    batches_.skip(iteration_);
    q_.hand_out_sites();
  }

  void save_if_due() {
    if (!checkpoints_.save) return;
    const std::chrono::duration<double> passed = Clock::now() - saved_;
    if (passed.count() < checkpoints_.seconds) return;
    q_.refresh();
    q_.fetch_sites();
    Archive state;
    visit(state);
    checkpoints_.save(q_.describe(trace_.rows(), ""), state.take());
    saved_ = Clock::now();
  }

  const Factors& factors_;
  const EpFitOptions& options_;
  const bool settles_last_step_;
  const EpCheckpoints& checkpoints_;
  const Context& ctx_;
  ContinuedTrace trace_;
  EpLearner learner_;
  EpBatches batches_;
  EpApproximation q_;
  EpBestState best_;
  EpUpdate update_;
  SettlingDamping settling_;
  bool settles_ = false;  // the damping follows the passes
  Index iteration_ = 0;
  Clock::time_point saved_ = Clock::now();
};

}  // namespace

EpFit fit_ep(const EpProblem& problem, const EpFitOptions& options,
             const EpCheckpoints& checkpoints, const Context& ctx) {
  if (problem.inducing.cols() < 1 || problem.factors.rows() != problem.passes.rows())
    throw InvalidSpec("the inducing inputs or the response do not fit the data");
  return EpFitter(problem, options, checkpoints, ctx).run();
}

}  // namespace gpsieve
