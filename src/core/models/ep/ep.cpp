#include "models/ep/ep.h"

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "models/ep/batches.h"
#include "models/ep/optimiser.h"
#include "models/ep/parameters.h"
#include "sparse_ep/run_to_convergence.h"

namespace gpsieve {
namespace {

constexpr Index kTraceRows = 500;
constexpr int kMostFailures = 20;  // halvings of a step in a row
// The gradient of the final evidence is computed for at most this many elements of K_uf.
constexpr double kCheapGradient = 5e6;

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
        stopping_(options.patience),
        parameters_(kernel, factors, inducing, options.learning),
        batches_(x.cols(), options.batch_size, options.shuffle, seed),
        kernel_(kernel),
        inducing_(make_inducing()),
        // sparse_ep/theory.md#changing-the-hyper-parameters
        keeps_directions_(options.schedule == Schedule::ep && parameters_.any() &&
                          !batches_.all_rows()),
        ep_(options.schedule, factors, inducing.cols(), keeps_directions_) {
    if (parameters_.any())
      optimiser_ = make_optimiser(options.learning.optimiser, options.learning.rate,
                                  parameters_.groups(options.learning.group));
  }

  EpFit run() {
    EpUpdate update{options_.damping, options_.warm_start};
    for (iteration_ = 1; iteration_ <= options_.iterations; ++iteration_) {
      WhitenedRows rows(*inducing_, x_, batches_.next());
      if (stale_) rebuild(rows);
      const SparseEp::Change change = damped_update(ep_, rows, update, ctx_);
      double objective = change.log_z;
      if (parameters_.any()) objective = learn(rows, update);
      if (record(objective)) break;
      ctx_.report(static_cast<double>(iteration_) / static_cast<double>(options_.iterations),
                  inducing_->size());
      if (has_fixed_point() && change.largest <= options_.tolerance * update.damping) break;
    }
    if (has_fixed_point() && iteration_ > options_.iterations && !exact_in_one_pass())
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

  void rebuild(WhitenedRows& rows) {
    ep_.rebuild(rows, ctx_);
    stale_ = false;
  }

  // One step of the optimiser, from the gradient of log Z that these rows give; returns log Z. If
  // log Z is not finite, or a factor does not exist at the new parameters, the last good parameters
  // are restored, and later steps and the damping are halved.
  double learn(WhitenedRows& rows, EpUpdate& update) {
    const double scale =
        static_cast<double>(factors_.rows()) / static_cast<double>(rows.rows().size);
    const EpEvidence found =
        sparse_ep_evidence(ep_, rows, scale, options_.gradient, options_.learning.inducing, ctx_);
    const Vector gradient = parameters_.gradient(found);
    if (!std::isfinite(found.log_z) || !gradient.allFinite()) {
      restore_good(update);
      return found.log_z;
    }
    good_ = parameters_.values();
    failures_ = 0;
    for (Vector step = optimiser_->step(gradient);; step *= 0.5) {
      parameters_.set(good_);
      parameters_.add(step);
      if (carry_over()) return found.log_z;
      shorten_steps(update);
    }
  }

  void restore_good(EpUpdate& update) {
    shorten_steps(update);
    if (good_.size() == 0) throw NumericalFailure("the evidence is not finite at the start");
    parameters_.set(good_);
    if (!carry_over())
      throw NumericalFailure("a factor does not exist at parameters where it existed before");
  }

  void shorten_steps(EpUpdate& update) {
    if (++failures_ > kMostFailures)
      throw NumericalFailure("learning failed " + std::to_string(kMostFailures) +
                             " times in a row, each time with shorter steps");
    optimiser_->halve_steps();
    update.damping = std::max(0.5 * update.damping, kSmallestDamping);
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
    const Index rows = options_.batch_size > 0 ? options_.batch_size : x_.cols();
    const Index every = std::max<Index>(1, held_out_.x.cols() / rows);
    return iteration_ % every == 0 || iteration_ == options_.iterations;
  }
  // q from the sites, where the parameters have changed since q was computed.
  void refresh() {
    if (!stale_) return;
    WhitenedRows rows(*inducing_, x_, RowSet::range(0, x_.cols()));
    rebuild(rows);
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
    EpFit fit;
    WhitenedRows rows(*inducing_, x_, RowSet::range(0, x_.cols()));
    const double cost = static_cast<double>(x_.cols()) * static_cast<double>(inducing_->size());
    const bool cheap = cost <= kCheapGradient;
    fit.evidence =
        sparse_ep_evidence(ep_, rows, 1.0, cheap ? options_.gradient : GradientForm::none,
                           cheap && options_.input_gradient, ctx_);
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
    fit.result.latents.front().trace = trace_.rows();
    if (options_.schedule == Schedule::ep) add_sites(rows, fit.result);
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
  EarlyStopping stopping_;
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
  std::vector<Best> best_;  // the state with the least held-out loss; empty before the first one
  std::unique_ptr<Inducing> best_inducing_;

  Index iteration_ = 0;
  bool stale_ = false;  // q has to be computed anew from the sites
  Vector good_;         // parameters at which the evidence was finite last
  int failures_ = 0;
  std::string reason_;  // why EP has not converged; empty if it has
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
