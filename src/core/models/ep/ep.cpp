#include "models/ep/ep.h"

#include <chrono>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "models/ep/batches.h"
#include "models/ep/optimiser.h"
#include "models/ep/parameters.h"
#include "sparse_ep/run_to_convergence.h"

namespace gpsieve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Index kTraceRows = 500;
constexpr int kMostFailures = 20;  // halvings of a step in a row
// The gradient of the final evidence is computed for at most this many elements of K_uf.
constexpr double kCheapGradient = 5e6;

// A row of the trace as part of the state.
struct RecordedRow : TraceRow {
  void visit(Archive& archive) {
    archive.visit(iteration);
    for (double* each : {&objective, &validation, &lower, &seconds}) archive.visit(*each);
    archive.visit(size);
  }
};

class EpFitter {
 public:
  EpFitter(Kernel& kernel, Factors& factors, EpPasses& passes, const Matrix& inducing,
           const HeldOut& held_out, const EpFitOptions& options, const EpCheckpoints& checkpoints,
           std::uint64_t seed, const Context& ctx)
      : factors_(factors),
        passes_(passes),
        held_out_(held_out),
        options_(options),
        checkpoints_(checkpoints),
        ctx_(ctx),
        trace_(options.iterations, kTraceRows),
        stopping_(options.patience),
        parameters_(kernel, factors, inducing, options.learning),
        batches_(passes.rows(), options.batch_size, options.window, options.shuffle, seed),
        kernel_(kernel),
        inducing_(make_inducing()),
        // sparse_ep/theory.md#changing-the-hyper-parameters
        keeps_directions_(options.schedule == Schedule::ep && parameters_.any() &&
                          !batches_.all_rows()),
        ep_(options.schedule, factors, inducing.cols(), keeps_directions_),
        update_{options.damping, options.warm_start} {
    if (parameters_.any())
      optimiser_ = make_optimiser(options.learning.optimiser, options.learning.rate,
                                  parameters_.groups(options.learning.group));
  }

  EpFit run() {
    if (!checkpoints_.from.empty()) resume();
    bool stopped = false;
    while (!stopped && iteration_ < options_.iterations) {
      ++iteration_;
      stopped = iterate();
      if (!stopped) save_if_due();
    }
    if (has_fixed_point() && !stopped && !exact_in_one_pass())
      reason_ = "not converged after " + std::to_string(options_.iterations) + " passes";
    if (best_.size() > 0) restore_best();
    return finish();
  }

 private:
  std::unique_ptr<Inducing> make_inducing() const {
    return std::make_unique<Inducing>(kernel_, parameters_.inducing(), options_.jitter,
                                      ctx_.threads);
  }
  // At fixed hyper-parameters and over all rows EP and SEP have a fixed point; ADF has none.
  bool has_fixed_point() const {
    return !parameters_.any() && batches_.all_rows() && options_.schedule != Schedule::adf;
  }
  bool exact_in_one_pass() const { return factors_.gaussian() && options_.damping == 1.0; }

  // One update and one step of learning; true if the fit should stop.
  bool iterate() {
    const RowSet rows = batches_.next();
    passes_.start(*inducing_, rows);
    if (stale_) rebuild();
    const auto one_pass = [&](const EpUpdate& how) {
      return ep_.finish_update(passes_.new_sites(ep_, how, ctx_), rows.size, how, ctx_);
    };
    const double n_factors =
        static_cast<double>(rows.size) * static_cast<double>(factors_.latents());
    const SparseEp::Change change = damped_update(one_pass, n_factors, update_);
    double objective = change.log_z;
    if (parameters_.any()) objective = learn(rows.size);
    if (record(objective)) return true;
    ctx_.report(static_cast<double>(iteration_) / static_cast<double>(options_.iterations),
                inducing_->size());
    return has_fixed_point() && change.largest <= options_.tolerance * update_.damping;
  }

  void rebuild() {
    ep_.set_natural(passes_.product_of_sites(ep_, ctx_).natural, ctx_.threads);
    stale_ = false;
  }
  void start_all_rows() { passes_.start(*inducing_, RowSet::range(0, passes_.rows())); }

  // The state between two iterations. The batches are a function of the seed and the number of
  // iterations, and q and the factor of K_uu follow from what is visited.
  void visit(Archive& archive) {
    archive.visit(iteration_);
    archive.visit(update_.damping);
    archive.visit(failures_);
    archive.visit(stale_);
    ep_.visit(archive, ctx_.threads);
    if (optimiser_) optimiser_->visit(archive);
    visit_trace(archive);
    stopping_.visit(archive);
    archive.visit(good_);
    visit_best(archive);
    Vector values = parameters_.values();
    archive.visit(values);
    if (archive.reading()) inducing_ = inducing_at(values);
  }
  // The trace of a fit that is continued begins with the rows from before; its clock goes on.
  void visit_trace(Archive& archive) {
    std::vector<RecordedRow> rows;
    for (const TraceRow& row : all_trace_rows()) rows.push_back({row});
    archive.visit(rows);
    if (archive.reading()) earlier_.assign(rows.begin(), rows.end());
  }
  std::vector<TraceRow> all_trace_rows() const {
    std::vector<TraceRow> all = earlier_;
    const double before = earlier_.empty() ? 0.0 : earlier_.back().seconds;
    for (TraceRow row : trace_.rows()) {
      row.seconds += before;
      all.push_back(row);
    }
    return all;
  }
  void visit_best(Archive& archive) {
    bool kept = !best_.empty();
    archive.visit(kept);
    if (!kept) return;
    if (archive.reading()) best_.assign(1, {Vector(), ep_});
    archive.visit(best_.front().parameters);
    best_.front().ep.visit(archive, ctx_.threads);
    if (archive.reading()) best_inducing_ = inducing_at(best_.front().parameters);
  }
  std::unique_ptr<Inducing> inducing_at(const Vector& values) {
    if (values.size() != parameters_.size())
      throw InvalidSpec("the state does not fit the parameters that are learned");
    parameters_.set(values);
    return make_inducing();
  }

  void resume() {
    Archive state(checkpoints_.from);
    visit(state);
    state.expect_end();
    batches_.skip(iteration_);
    start_all_rows();
    passes_.hand_out_sites(ep_);
  }

  void save_if_due() {
    if (!checkpoints_.save) return;
    const std::chrono::duration<double> passed = Clock::now() - saved_;
    if (passed.count() < checkpoints_.seconds) return;
    refresh();
    start_all_rows();
    passes_.fetch_sites(ep_);
    Archive state;
    visit(state);
    checkpoints_.save(describe(), state.take());
    saved_ = Clock::now();
  }

  // One step of the optimiser, from the gradient of log Z that these rows give; returns log Z. If
  // log Z is not finite, or a factor does not exist at the new parameters, the last good parameters
  // are restored, and later steps and the damping are halved.
  double learn(Index rows) {
    const double scale = static_cast<double>(factors_.rows()) / static_cast<double>(rows);
    const EpEvidence found =
        passes_.evidence(ep_, scale, options_.gradient, options_.learning.inducing, ctx_);
    const Vector gradient = parameters_.gradient(found);
    if (!std::isfinite(found.log_z) || !gradient.allFinite()) {
      restore_good();
      return found.log_z;
    }
    good_ = parameters_.values();
    failures_ = 0;
    for (Vector step = optimiser_->step(gradient);; step *= 0.5) {
      parameters_.set(good_);
      parameters_.add(step);
      if (carry_over()) return found.log_z;
      shorten_steps();
    }
  }

  void restore_good() {
    shorten_steps();
    if (good_.size() == 0) throw NumericalFailure("the evidence is not finite at the start");
    parameters_.set(good_);
    if (!carry_over())
      throw NumericalFailure("a factor does not exist at parameters where it existed before");
  }

  void shorten_steps() {
    if (++failures_ > kMostFailures)
      throw NumericalFailure("learning failed " + std::to_string(kMostFailures) +
                             " times in a row, each time with shorter steps");
    optimiser_->halve_steps();
    update_.damping = std::max(0.5 * update_.damping, kSmallestDamping);
  }

  // Carries q over to the present parameters; false, and q is unchanged, if a factor does not
  // exist.
  bool carry_over() {
    try {
      std::unique_ptr<Inducing> next = make_inducing();
      const bool carried = options_.schedule != Schedule::ep || keeps_directions_;
      if (carried) ep_.change_coordinates(*inducing_, *next, ctx_.threads);
      stale_ = !carried;
      inducing_ = std::move(next);
      return true;
    } catch (const NotPositiveDefinite&) {
      return false;
    }
  }

  // Records the iteration; true if the fit should stop because of the held-out rows.
  bool record(double objective) {
    const bool evaluated = held_out_.factors && evaluation_due();
    double loss = TraceRow::kUnknown;
    if (evaluated) {
      refresh();
      loss = held_out_loss(held_out_, factors_, ep_, *inducing_, ctx_);
      if (stopping_.improves(loss, iteration_)) keep_best();
    }
    if (evaluated || iteration_ == 1 || trace_.due(iteration_))
      trace_.record({iteration_, objective, inducing_->size(), loss});
    return evaluated && stopping_.exhausted(iteration_);
  }
  // The held-out rows are evaluated once for every as many rows that were used for learning.
  bool evaluation_due() const {
    const Index rows = options_.batch_size > 0 ? options_.batch_size : passes_.rows();
    const Index every = std::max<Index>(1, held_out_.x.cols() / rows);
    return iteration_ % every == 0 || iteration_ == options_.iterations;
  }
  // q from the sites, where the parameters have changed since q was computed.
  void refresh() {
    if (!stale_) return;
    start_all_rows();
    rebuild();
  }

  void keep_best() {
    best_.assign(1, {parameters_.values(), ep_});
    best_inducing_ = std::make_unique<Inducing>(*inducing_);
  }

  void restore_best() {
    parameters_.set(best_.front().parameters);
    ep_ = best_.front().ep;
    inducing_ = std::move(best_inducing_);
    stale_ = false;
  }

  EpFit finish() {
    refresh();
    EpFit fit = describe();
    start_all_rows();
    const double cost =
        static_cast<double>(passes_.rows()) * static_cast<double>(inducing_->size());
    const bool cheap = cost <= kCheapGradient;
    fit.evidence = passes_.evidence(ep_, 1.0, cheap ? options_.gradient : GradientForm::none,
                                    cheap && options_.input_gradient, ctx_);
    if (options_.schedule == Schedule::ep) add_sites(fit.result);
    return fit;
  }

  // The fit without what needs a pass over the rows.
  EpFit describe() const {
    EpFit fit;
    fit.evidence.log_z = TraceRow::kUnknown;
    fit.kernel_params = kernel_.params();
    fit.likelihood_params = factors_.params();
    fit.inducing = inducing_->inputs();
    fit.jitter = inducing_->jitter();
    fit.result.points = inducing_->inputs();
    fit.result.converged = reason_.empty();
    fit.result.reason = reason_;
    fit.result.latents.resize(static_cast<std::size_t>(factors_.latents()));
    for (Index k = 0; k < factors_.latents(); ++k) {
      LatentFit& latent = fit.result.latents[k];
      latent.posterior = inducing_->posterior(ep_.q(k), factors_.prior_mean(k));
      latent.posterior.basis.resize(static_cast<std::size_t>(inducing_->size()));
      std::iota(latent.posterior.basis.begin(), latent.posterior.basis.end(), Index{0});
    }
    // All latent functions are fitted together and share one trace, kept with the first of them.
    fit.result.latents.front().trace = all_trace_rows();
    return fit;
  }

  void add_sites(FitResult& result) {
    const Index n = passes_.rows();
    const SiteTable table = passes_.site_table(ep_, ctx_);
    for (Index k = 0; k < factors_.latents(); ++k) {
      LatentFit& latent = result.latents[k];
      latent.cavity_mean = table.cavity.mean.col(k);
      latent.cavity_variance = table.cavity.variance.col(k);
      latent.site_rows.resize(static_cast<std::size_t>(n));
      std::iota(latent.site_rows.begin(), latent.site_rows.end(), Index{0});
      const auto precision = table.precision.col(k).array();
      latent.site_precision = precision;
      latent.site_mean = (precision != 0.0).select(table.shift.col(k).array() / precision, 0.0);
    }
  }

  Factors& factors_;
  EpPasses& passes_;
  const HeldOut& held_out_;
  const EpFitOptions& options_;
  const EpCheckpoints& checkpoints_;
  const Context& ctx_;
  Trace trace_;
  std::vector<TraceRow> earlier_;  // rows of the trace from before the fit was continued
  EarlyStopping stopping_;
  EpParameters parameters_;
  EpBatches batches_;
  const Kernel& kernel_;
  std::unique_ptr<Inducing> inducing_;
  bool keeps_directions_;
  SparseEp ep_;
  EpUpdate update_;
  std::unique_ptr<Optimiser> optimiser_;

  struct Best {
    Vector parameters;
    SparseEp ep;
  };
  std::vector<Best> best_;  // the state with the least held-out loss; empty before the first one
  std::unique_ptr<Inducing> best_inducing_;

  Index iteration_ = 0;
  bool stale_ = false;  // q has to be computed anew from the sites
  Vector good_;         // parameters at which the evidence was finite last
  int failures_ = 0;
  Clock::time_point saved_ = Clock::now();
  std::string reason_;  // why EP has not converged; empty if it has
};

}  // namespace

EpFit fit_ep(Kernel& kernel, Factors& factors, EpPasses& passes, const Matrix& inducing,
             const HeldOut& held_out, const EpFitOptions& options, const EpCheckpoints& checkpoints,
             std::uint64_t seed, const Context& ctx) {
  if (inducing.cols() < 1 || factors.rows() != passes.rows())
    throw InvalidSpec("the inducing inputs or the response do not fit the data");
  return EpFitter(kernel, factors, passes, inducing, held_out, options, checkpoints, seed, ctx)
      .run();
}

EpFit fit_ep(Kernel& kernel, Factors& factors, Points x, const Matrix& inducing,
             const HeldOut& held_out, const EpFitOptions& options, std::uint64_t seed,
             const Context& ctx) {
  if (inducing.rows() != x.rows()) throw InvalidSpec("the inducing inputs do not fit the data");
  MemoryRows rows(x);
  LocalPasses passes(rows);
  return fit_ep(kernel, factors, passes, inducing, held_out, options, {}, seed, ctx);
}

}  // namespace gpsieve
