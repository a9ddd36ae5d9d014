#include <algorithm>
#include <memory>

#include "models/greedy/candidates.h"
#include "models/greedy/certificate.h"
#include "models/greedy/dual.h"
#include "models/greedy/evidence.h"
#include "models/greedy/posterior.h"
#include "models/greedy/search.h"

namespace gpsieve {
namespace {

// The dual form Q*, which grows with Q. Where the data have more than `dual_rows` rows, it chooses
// among a random sample of them.
class DualSide {
 public:
  DualSide(const BoundKernel& kernel, VectorIn y, double noise, Index capacity,
           const GreedyOptions& options, Rng rng)
      : source_(options.dual_candidates, options.candidate_lists, Rng(rng.next(), 1)) {
    const Index n = kernel.size();
    if (options.dual_rows >= n) {
      engine_ = std::make_unique<GreedyDual>(kernel, y, noise, capacity);
      return;
    }
    Indices all(n);
    for (Index j = 0; j < n; ++j) all[j] = j;
    rng.shuffle_front(all, options.dual_rows);
    rows_.assign(all.begin(), all.begin() + options.dual_rows);
    std::sort(rows_.begin(), rows_.end());
    points_ = gather_columns(kernel.points(), rows_.data(), options.dual_rows);
    Vector targets(options.dual_rows), scale(kernel.scaled() ? options.dual_rows : 0);
    for (Index i = 0; i < targets.size(); ++i) targets(i) = y(rows_[i]);
    for (Index i = 0; i < scale.size(); ++i) scale(i) = kernel.scale(rows_[i]);
    own_ = std::make_unique<BoundKernel>(kernel.kernel(), points_, std::move(scale));
    engine_ =
        std::make_unique<GreedyDual>(*own_, targets, noise, std::min(capacity, options.dual_rows));
  }

  void step(const Context& ctx) {
    if (engine_->size() >= engine_->basis().capacity()) return;
    Index j;
    if (source_.all()) {
      j = engine_->best(nullptr);
    } else {
      const Indices candidates = source_.next(engine_->basis());
      j = engine_->best(&candidates);
    }
    if (j >= 0) engine_->add(j, ctx);
  }

  const GreedyDual& engine() const { return *engine_; }
  const Indices& rows() const { return rows_; }

 private:
  CandidateSource source_;
  Indices rows_;
  Matrix points_;
  std::unique_ptr<BoundKernel> own_;
  std::unique_ptr<GreedyDual> engine_;
};

class RegressionSearch {
 public:
  // `y` without the prior mean. With case weights w the kernel's rows have the scales sqrt(w), and
  // so have the responses: theory.md#case-weights.
  RegressionSearch(const BoundKernel& kernel, VectorIn y, double noise,
                   const GreedyOptions& options, Rng rng, const Context& ctx,
                   const CaseTerms& cases)
      : kernel_(kernel),
        cases_(cases),
        y_(cases.weighted() ? Vector(y.cwiseProduct(cases.weight.cwiseSqrt())) : Vector(y)),
        options_(options),
        ctx_(ctx),
        half_yy_(0.5 * y_.squaredNorm()),
        capacity_(greedy_capacity(options, kernel.size())),
        source_(options.rule == GreedyRule::pivot ? 0 : options.candidates,
                options.rule == GreedyRule::gain ? options.candidate_lists : none_, rng),
        engine_(kernel, y_, noise, capacity_, options.rule == GreedyRule::pivot),
        keeper_(options, kernel.size(), half_yy_) {
    const bool wants_dual =
        options.certify || options.n_basis == 0 || options.variance == GreedyVariance::upper;
    // A stream of its own: whether the dual side runs does not change the draws for Q.
    if (wants_dual)
      dual_ = std::make_unique<DualSide>(kernel, y_, noise, capacity_, options, Rng(rng.next(), 2));
    const bool full = options.rule == GreedyRule::gain && source_.all();
    operator_ = std::make_unique<KernelOperator>(kernel, full ? options.stored_bytes : 0.0, ctx);
    if (full) pool_ = std::make_unique<FullPool>(engine_, y_, *operator_, ctx);
  }

  void run() {
    bool exhausted = false, gap_reached = false;
    while (!gap_reached && engine_.size() < capacity_) {
      exhausted = !add_one();
      if (exhausted) break;
      update_bounds();
      gap_reached = keeper_.gap_reached(engine_.objective());
      record(keeper_.at(engine_.objective()).lower);
      const double share = static_cast<double>(engine_.size()) / static_cast<double>(capacity_);
      ctx_.report(share * share, engine_.size());
    }
    if (engine_.size() == 0) record(-half_yy_);
    if (options_.certify && kernel_.size() <= options_.certify_rows) add_dense_bound();
    exhausted_ = exhausted;
    gap_reached_ = gap_reached || keeper_.gap_reached(engine_.objective());
  }

  GreedyLatent finish(double prior_mean) {
    GreedyLatent latent;
    latent.fit.trace = trace_.rows();
    explain_stop(exhausted_, gap_reached_, options_, latent);
    if (options_.certify) latent.certificate = keeper_.at(engine_.objective());
    const GreedyEvidence evidence = regression_evidence(
        {kernel_.kernel(), kernel_.points(), plain_y(), engine_.noise(), cases_},
        engine_.basis().chosen(), options_.trace_term, true, ctx_);
    latent.fit.log_evidence = evidence.value;
    latent.fit.evidence_gradient.resize(evidence.kernel_gradient.size() + 1);
    latent.fit.evidence_gradient << evidence.kernel_gradient, evidence.likelihood_gradient;
    latent.fit.posterior =
        regression_posterior(engine_, dual_ ? &dual_->engine() : nullptr,
                             dual_ ? dual_->rows() : Indices(), options_.variance, prior_mean);
    return latent;
  }

 private:
  Vector plain_y() const {
    return cases_.weighted() ? Vector(y_.cwiseQuotient(cases_.weight.cwiseSqrt())) : y_;
  }

  bool add_one() {
    if (pool_) return add_best(all_rows(), pool_->gains(engine_), engine_, ctx_);
    if (options_.rule == GreedyRule::pivot)
      return add_best(all_rows(), pivot_scores(), engine_, ctx_);
    for (int draw = 0; draw < kDraws; ++draw) {
      const Indices candidates = source_.next(engine_.basis());
      if (candidates.empty()) return false;
      const Vector gains = options_.rule == GreedyRule::random ? random_scores(candidates)
                                                               : engine_.gains(candidates, ctx_);
      keeper_.add_work(static_cast<double>(candidates.size() * kernel_.size()) *
                       (kKernelWork + static_cast<double>(engine_.size())));
      if (add_best(candidates, gains, engine_, ctx_)) return true;
      if (!source_.can_draw_again(engine_.basis())) return false;
    }
    return false;
  }

  // Residual kernel times squared slope of the log likelihood.
  Vector pivot_scores() const {
    const Vector& left = engine_.residual_kernel();
    Vector scores = left.cwiseProduct(engine_.residual().cwiseAbs2());
    for (Index j = 0; j < scores.size(); ++j)
      if (engine_.basis().in_span(j, left(j))) scores(j) = -1.0;
    return scores;
  }

  Vector random_scores(const Indices& candidates) {
    Vector scores(static_cast<Index>(candidates.size()));
    for (Index t = 0; t < scores.size(); ++t) scores(t) = source_.uniform();
    return scores;
  }

  const Indices& all_rows() {
    if (all_rows_.empty())
      for (Index j = 0; j < kernel_.size(); ++j) all_rows_.push_back(j);
    return all_rows_;
  }

  void record(double lower) {
    trace_.record({engine_.size(), engine_.objective(), engine_.size(), TraceRow::kUnknown, lower});
  }

  // After an accepted function: updates the pool and the dual form, and offers their bounds.
  void update_bounds() {
    if (pool_) {
      pool_->update(engine_, ctx_);
      keeper_.add_bound(engine_.objective() - dense_gap(engine_, pool_->slopes()),
                        BoundSource::dense_dual);
    }
    if (dual_) {
      dual_->step(ctx_);
      keeper_.add_bound(-half_yy_ - engine_.noise() * dual_->engine().objective(),
                        BoundSource::sparse_dual);
    }
    if (!pool_ && keeper_.dense_bound_is_due()) add_dense_bound();
  }

  void add_dense_bound() {
    const Vector slopes =
        operator_->times(engine_.residual(), ctx_) - engine_.noise() * engine_.fitted();
    keeper_.add_bound(engine_.objective() - dense_gap(engine_, slopes), BoundSource::dense_dual);
    keeper_.restart_work();
  }

  const BoundKernel& kernel_;
  const CaseTerms& cases_;
  const Vector y_;
  const GreedyOptions& options_;
  const Context& ctx_;
  const std::vector<Indices> none_;
  double half_yy_;
  Index capacity_;
  CandidateSource source_;
  GreedyRegression engine_;
  std::unique_ptr<DualSide> dual_;
  std::unique_ptr<KernelOperator> operator_;
  std::unique_ptr<FullPool> pool_;
  CertificateKeeper keeper_;
  Trace trace_;
  Indices all_rows_;
  bool exhausted_ = false, gap_reached_ = false;
};

}  // namespace

GreedyLatent fit_greedy_regression(const BoundKernel& kernel, const Likelihood& likelihood,
                                   MatrixIn y, double prior_mean, const GreedyOptions& options,
                                   Rng rng, const Context& ctx, const CaseTerms& cases) {
  const double noise = likelihood.noise_variance();
  RegressionSearch search(kernel, y.col(0) - cases.prior_means(y.rows(), prior_mean), noise,
                          options, rng, ctx, cases);
  search.run();
  return search.finish(prior_mean);
}

}  // namespace gpsieve
