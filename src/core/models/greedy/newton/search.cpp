#include "models/greedy/search.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "models/greedy/candidates.h"
#include "models/greedy/certificate.h"
#include "models/greedy/evidence.h"
#include "models/greedy/newton/saturated.h"
#include "models/greedy/posterior.h"

namespace gpsieve {
namespace {

constexpr double kSolveTolerance = 1e-9;  // of J, relative, while functions are added
constexpr double kFinalTolerance = 1e-15;

class NewtonSearch {
 public:
  NewtonSearch(const BoundKernel& kernel, const Likelihood& likelihood, MatrixIn y,
               double prior_mean, const GreedyOptions& options, Rng rng, const Context& ctx,
               const CaseTerms& cases)
      : kernel_(kernel),
        cases_(cases),
        likelihood_(likelihood),
        y_(y),
        prior_mean_(prior_mean),
        options_(options),
        ctx_(ctx),
        capacity_(greedy_capacity(options, kernel.size())),
        source_(options.candidates, options.candidate_lists, rng),
        engine_(kernel, likelihood, y_, prior_mean, capacity_, cases),
        operator_(kernel, 0.0, ctx),
        keeper_(options, kernel.size(), attainable_log_likelihood()) {}

  void run() {
    bool gap_reached = false;
    Index next_solve = 1;
    while (!gap_reached && engine_.size() < capacity_) {
      exhausted_ = !add_one();
      if (exhausted_) break;
      const Index m = engine_.size();
      if (m >= next_solve || m == capacity_) {
        engine_.solve(kSolveTolerance, ctx_);
        next_solve =
            m + std::max<Index>(1, static_cast<Index>(options_.grow * static_cast<double>(m)));
        keeper_.add_work(4.0 * static_cast<double>(kernel_.size() * m * m));
        if (likelihood_.log_concave() && keeper_.dense_bound_is_due()) add_gradient_bound();
        gap_reached = keeper_.gap_reached(engine_.state().objective());
      } else {
        engine_.border_step(ctx_);
      }
      trace_.record(row());
      const double share = static_cast<double>(m) / static_cast<double>(capacity_);
      ctx_.report(share * share, m);
    }
    engine_.finish(kFinalTolerance, ctx_);
    trace_.record_final(row());
    if (options_.certify && likelihood_.log_concave()) add_gradient_bound();
    gap_reached_ = gap_reached || keeper_.gap_reached(engine_.state().objective());
  }

  GreedyLatent finish() {
    GreedyLatent latent;
    latent.fit.trace = trace_.rows();
    explain_stop(exhausted_, gap_reached_, options_, latent);
    if (options_.certify) latent.certificate = keeper_.at(engine_.state().objective());
    const auto z = engine_.basis().columns();
    const Matrix factor = engine_.state().laplace_factor(z, ctx_);
    const GreedyEvidence evidence =
        laplace_at_mode({kernel_.kernel(), likelihood_, kernel_.points(), y_,
                         Vector::Constant(1, prior_mean_), cases_},
                        engine_.basis().chosen(),
                        {engine_.state(), z, engine_.basis().factor(), factor}, true, ctx_);
    latent.fit.log_evidence = evidence.value;
    latent.fit.evidence_gradient.resize(evidence.kernel_gradient.size() +
                                        evidence.likelihood_gradient.size());
    latent.fit.evidence_gradient << evidence.kernel_gradient, evidence.likelihood_gradient;
    latent.fit.posterior = newton_posterior(engine_, factor, options_.variance, prior_mean_);
    return latent;
  }

 private:
  // The largest log likelihood that any function has, of which only certificates speak.
  double attainable_log_likelihood() const {
    const bool certified = options_.certify || options_.n_basis == 0;
    if (!certified || !likelihood_.log_concave()) return 0.0;
    return saturated_log_likelihood(likelihood_, y_, cases_, prior_mean_, ctx_);
  }

  TraceRow row() const {
    const double objective = engine_.state().objective();
    return {engine_.size(), objective, engine_.size(), TraceRow::kUnknown,
            keeper_.at(objective).lower};
  }

  bool add_one() {
    if (options_.rule == GreedyRule::pivot)
      return add_best(all_rows(), engine_.pivot_scores(), engine_, ctx_);
    for (int draw = 0; draw < kDraws; ++draw) {
      const Indices candidates = source_.next(engine_.basis());
      if (candidates.empty()) return false;
      if (add_best(candidates, scores_of(candidates), engine_, ctx_)) return true;
      if (!source_.can_draw_again(engine_.basis())) return false;
    }
    return false;
  }

  Vector scores_of(const Indices& candidates) {
    if (options_.rule == GreedyRule::random) return random_scores(candidates);
    keeper_.add_work(static_cast<double>(candidates.size() * kernel_.size()) *
                     (kKernelWork + 2.0 * static_cast<double>(engine_.size())));
    return engine_.gains(candidates, ctx_);
  }

  Vector random_scores(const Indices& candidates) {
    Vector scores(static_cast<Index>(candidates.size()));
    for (Index t = 0; t < scores.size(); ++t)
      scores(t) = engine_.in_span(candidates[t]) ? -1.0 : source_.uniform();
    return scores;
  }

  Indices all_rows() const {
    Indices rows(static_cast<std::size_t>(kernel_.size()));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }

  void add_gradient_bound() {
    const bool affordable = kernel_.size() <= options_.certify_rows;
    const GradientBound form = options_.bound == GradientBound::exact && !affordable
                                   ? GradientBound::block
                                   : options_.bound;
    const double gap = gradient_gap(engine_, form, options_.block_size, operator_, ctx_);
    const BoundSource source = form == GradientBound::exact   ? BoundSource::gradient_exact
                               : form == GradientBound::block ? BoundSource::gradient_block
                                                              : BoundSource::gradient_cheap;
    keeper_.add_bound(engine_.state().objective() - gap, source);
    keeper_.restart_work();
  }

  const BoundKernel& kernel_;
  const CaseTerms& cases_;
  const Likelihood& likelihood_;
  const Matrix y_;
  double prior_mean_;
  const GreedyOptions& options_;
  const Context& ctx_;
  Index capacity_;
  CandidateSource source_;
  GreedyNewton engine_;
  KernelOperator operator_;
  CertificateKeeper keeper_;
  Trace trace_;
  bool exhausted_ = false, gap_reached_ = false;
};

}  // namespace

GreedyLatent fit_greedy_newton(const BoundKernel& kernel, const Likelihood& likelihood, MatrixIn y,
                               double prior_mean, const GreedyOptions& options, Rng rng,
                               const Context& ctx, const CaseTerms& cases) {
  NewtonSearch search(kernel, likelihood, y, prior_mean, options, rng, ctx, cases);
  search.run();
  return search.finish();
}

}  // namespace gpsieve
