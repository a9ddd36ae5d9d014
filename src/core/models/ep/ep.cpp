#include "models/ep/ep.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "models/ep/batches.h"
#include "models/ep/optimiser.h"
#include "models/ep/parameters.h"
#include "sparse_ep/settle_ep.h"

namespace gpsieve {
namespace {

constexpr Index kTraceRows = 500;
constexpr int kMostFailures = 20;  // of steps in a row, each time halved
// The final gradient costs two passes over the rows: below this many doubles of K_uf always.
constexpr double kCheapGradient = 5e6;
constexpr double kEnoughImprovement = 1e-4;  // of the mean held-out log loss

class EpFitter {
 public:
  EpFitter(Kernel& kernel, Factors& factors, Points x, const Matrix& inducing,
           const HeldOut& held_out, const EpFitOptions& options, std::uint64_t seed,
           const Context& ctx)
      : factors_(factors),
        x_(x),
        held_out_(held_out),
        options_(options),
        ctx_(ctx),
        trace_(options.iterations, kTraceRows),
        parameters_(kernel, factors, inducing, options.learning),
        batches_(x.cols(), options.batch_size, options.shuffle, seed),
        kernel_(kernel),
        inducing_(make_inducing()),
        // Sites of rows that are not in the minibatch must survive a change of hyper-parameters.
        keeps_directions_(options.schedule == Schedule::own && parameters_.any() &&
                          !batches_.all_rows()),
        ep_(options.schedule, factors, inducing.cols(), keeps_directions_) {
    if (parameters_.any())
      optimiser_ = make_optimiser(options.learning.optimiser, options.learning.rate,
                                  parameters_.groups(options.learning.group));
  }

  EpFit run() {
    EpUpdate update{options_.damping, options_.warm};
    for (iteration_ = 1; iteration_ <= options_.iterations; ++iteration_) {
      WhitenedRows rows(*inducing_, x_, batches_.next());
      if (stale_) rebuild(rows);
      const SparseEp::Change change = careful_update(ep_, rows, update, ctx_);
      double objective = change.log_z;
      if (parameters_.any()) objective = learn(rows, update);
      if (note(objective)) break;  // no progress on held-out rows
      ctx_.report(static_cast<double>(iteration_) / static_cast<double>(options_.iterations),
                  inducing_->size());
      if (settles() && change.largest <= options_.tolerance * update.damping) break;
    }
    if (settles() && iteration_ > options_.iterations && !exact_in_one_pass())
      give_up("not converged after " + std::to_string(options_.iterations) + " passes");
    if (best_.size() > 0) restore_best();
    return finish();
  }

 private:
  std::unique_ptr<Inducing> make_inducing() const {
    return std::make_unique<Inducing>(kernel_, parameters_.inducing(), options_.jitter,
                                      ctx_.threads);
  }
  // At fixed hyper-parameters a batch schedule has a fixed point; accumulated sites never settle.
  bool settles() const {
    return !parameters_.any() && batches_.all_rows() && options_.schedule != Schedule::accumulated;
  }
  bool exact_in_one_pass() const { return factors_.gaussian() && options_.damping == 1.0; }
  void give_up(std::string reason) {
    converged_ = false;
    reason_ = std::move(reason);
  }

  void rebuild(WhitenedRows& rows) {
    ep_.rebuild(rows, ctx_);
    stale_ = false;
  }

  // One step of the optimiser on the rows' estimate of log Z, which is returned. Where that is not
  // finite, or a factor breaks down at the new place, the last good place comes back and steps and
  // damping are halved.
  double learn(WhitenedRows& rows, EpUpdate& update) {
    const double scale =
        static_cast<double>(factors_.rows()) / static_cast<double>(rows.rows().size);
    const EpEvidence found = sparse_ep_evidence(ep_, rows, scale, options_.learning.form,
                                                options_.learning.inducing, ctx_);
    const Vector gradient = parameters_.gradient(found);
    if (!std::isfinite(found.log_z) || !gradient.allFinite()) {
      retreat(update);
      return found.log_z;
    }
    good_ = parameters_.values();
    failures_ = 0;
    for (Vector step = optimiser_->step(gradient);; step *= 0.5) {
      parameters_.set(good_);
      parameters_.move_by(step);
      if (try_move()) return found.log_z;
      soften(update);
    }
  }

  void retreat(EpUpdate& update) {
    soften(update);
    if (good_.size() == 0) throw NumericalFailure("the evidence is not finite at the start");
    parameters_.set(good_);
    if (!try_move()) throw NumericalFailure("the factor of a state that was good broke down");
  }

  void soften(EpUpdate& update) {
    if (++failures_ > kMostFailures)
      throw NumericalFailure("learning failed " + std::to_string(kMostFailures) +
                             " times in a row, each time with shorter steps");
    optimiser_->soften();
    update.damping = std::max(0.5 * update.damping, 1.0 / 64.0);
  }

  // Takes q to the present parameters; false, and nothing changed, if a factor breaks down there.
  bool try_move() {
    try {
      std::unique_ptr<Inducing> next = make_inducing();
      const bool carried = options_.schedule != Schedule::own || keeps_directions_;
      if (carried) ep_.move(*inducing_, *next, ctx_.threads);
      stale_ = !carried;
      inducing_ = std::move(next);
      return true;
    } catch (const NotPositiveDefinite&) {
      return false;
    }
  }

  // Trace and held-out rows; true when it is time to stop.
  bool note(double objective) {
    const bool due = held_out_.factors && evaluation_due();
    double loss = std::numeric_limits<double>::quiet_NaN();
    bool stop = false;
    if (due) {
      loss = held_out_loss();
      stop = judge(loss);
    }
    if (due || iteration_ == 1 || trace_.due(iteration_))
      trace_.record({iteration_, objective, inducing_->size(), loss});
    return stop;
  }
  // q in the directions that its rows' sites have now.
  void refresh() {
    if (!stale_) return;
    WhitenedRows rows(*inducing_, x_, RowSet::range(0, x_.cols()));
    rebuild(rows);
  }
  // Looking at the held-out rows may cost about as much as learning from the others.
  bool evaluation_due() const {
    const Index rows = options_.batch_size > 0 ? options_.batch_size : x_.cols();
    const Index every = std::max<Index>(1, held_out_.x.cols() / rows);
    return iteration_ % every == 0 || iteration_ == options_.iterations;
  }

  double held_out_loss() {
    refresh();
    held_out_.factors->set_params(factors_.params());
    const Index n = held_out_.x.cols();
    WhitenedRows rows(*inducing_, held_out_.x, RowSet::range(0, n));
    double sum = 0.0;
    Projections latent;
    for (Index c = 0; c < rows.chunks(); ++c) {
      const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx_);
      ep_.project(chunk, latent);
      for (Index k = 0; k < factors_.latents(); ++k) {
        latent.mean.col(k).array() += factors_.prior_mean(k);
        latent.variance.col(k) += chunk.s;
      }
      sum += held_out_.factors->log_predictive(RowSet::range(chunk.begin, chunk.size), latent);
    }
    return -sum / static_cast<double>(n);
  }

  bool judge(double loss) {
    if (best_.empty() || loss < best_loss_ - kEnoughImprovement) {
      best_loss_ = loss;
      best_iteration_ = iteration_;
      best_.assign(1, {parameters_.values(), ep_});
      best_inducing_ = std::make_unique<Inducing>(*inducing_);
      return false;
    }
    return iteration_ - best_iteration_ >= options_.patience;
  }

  void restore_best() {
    parameters_.set(best_.front().parameters);
    ep_ = best_.front().ep;
    inducing_ = std::move(best_inducing_);
    stale_ = false;
  }

  EpFit finish() {
    refresh();
    EpFit fit;
    WhitenedRows rows(*inducing_, x_, RowSet::range(0, x_.cols()));
    const double cost = static_cast<double>(x_.cols()) * static_cast<double>(inducing_->size());
    const bool cheap = cost <= kCheapGradient;
    fit.evidence =
        sparse_ep_evidence(ep_, rows, 1.0, cheap ? options_.learning.form : GradientForm::none,
                           cheap && options_.input_gradient, ctx_);
    fit.kernel_params = kernel_.params();
    fit.likelihood_params = factors_.params();
    fit.inducing = inducing_->inputs();
    fit.jitter = inducing_->jitter();
    fit.result.points = inducing_->inputs();
    fit.result.converged = converged_;
    fit.result.reason = reason_;
    fit.result.latents.resize(static_cast<std::size_t>(factors_.latents()));
    for (Index k = 0; k < factors_.latents(); ++k) {
      LatentFit& latent = fit.result.latents[k];
      latent.posterior = inducing_->posterior(ep_.q(k), factors_.prior_mean(k));
      latent.posterior.basis.resize(static_cast<std::size_t>(inducing_->size()));
      std::iota(latent.posterior.basis.begin(), latent.posterior.basis.end(), Index{0});
    }
    // All latent functions were fitted together: one history.
    fit.result.latents.front().trace = trace_.rows();
    if (options_.schedule == Schedule::own) add_sites(rows, fit.result);
    return fit;
  }

  void add_sites(WhitenedRows& rows, FitResult& result) {
    const Index n = x_.cols();
    const Projections cavity = cavities(ep_, rows, ctx_);
    Matrix precision, shift;
    factors_.sum_sites(rows.rows(), ep_.sites(), precision, shift);
    for (Index k = 0; k < factors_.latents(); ++k) {
      LatentFit& latent = result.latents[k];
      latent.cavity_mean = cavity.mean.col(k);
      latent.cavity_variance = cavity.variance.col(k);
      latent.site_rows.resize(static_cast<std::size_t>(n));
      std::iota(latent.site_rows.begin(), latent.site_rows.end(), Index{0});
      latent.site_precision = precision.col(k);
      latent.site_mean = (precision.col(k).array() != 0.0)
                             .select(shift.col(k).array() / precision.col(k).array(), 0.0);
    }
  }

  Factors& factors_;
  Eigen::Ref<const Matrix> x_;
  const HeldOut& held_out_;
  const EpFitOptions& options_;
  const Context& ctx_;
  Trace trace_;
  EpParameters parameters_;
  EpBatches batches_;
  const Kernel& kernel_;
  std::unique_ptr<Inducing> inducing_;
  bool keeps_directions_;
  SparseEp ep_;
  std::unique_ptr<Optimiser> optimiser_;

  struct Best {
    Vector parameters;
    SparseEp ep;
  };
  std::vector<Best> best_;  // none, or the one with the least held-out loss
  std::unique_ptr<Inducing> best_inducing_;
  double best_loss_ = 0.0;
  Index best_iteration_ = 0;

  Index iteration_ = 0;
  bool stale_ = false;  // own sites wait for q in their new directions
  Vector good_;         // parameters at which the evidence was finite last
  int failures_ = 0;
  bool converged_ = true;
  std::string reason_;
};

}  // namespace

EpFit fit_ep(Kernel& kernel, Factors& factors, Points x, const Matrix& inducing,
             const HeldOut& held_out, const EpFitOptions& options, std::uint64_t seed,
             const Context& ctx) {
  if (inducing.cols() < 1 || inducing.rows() != x.rows() || factors.rows() != x.cols())
    throw InvalidSpec("the inducing inputs or the response do not fit the data");
  return EpFitter(kernel, factors, x, inducing, held_out, options, seed, ctx).run();
}

}  // namespace gpsieve
