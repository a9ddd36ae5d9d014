#include "models/ep/approximation.h"

#include <numeric>
#include <utility>

#include "base/error.h"
#include "sparse_ep/run_to_convergence.h"

namespace gpsieve {
namespace {

// The gradient of the final evidence is computed for at most this many elements of K_uf.
constexpr double kCheapGradient = 5e6;

Indices all_of(Index n) {
  Indices out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

}  // namespace

EpApproximation::EpApproximation(const EpProblem& problem, const EpFitOptions& options,
                                 bool keeps_directions, bool learns, const Context& ctx)
    : kernel_(problem.kernel),
      factors_(problem.factors),
      passes_(problem.passes),
      options_(options),
      ctx_(ctx),
      keeps_directions_(keeps_directions),
      learns_(learns),
      ep_(options.schedule, problem.factors, problem.inducing.cols(), keeps_directions) {
  make_inducing(problem.inducing);
}

Inducing EpApproximation::inducing_at(Matrix inputs) const {
  return Inducing(kernel_, std::move(inputs), options_.jitter, ctx_.threads, learns_);
}

void EpApproximation::make_inducing(Matrix inputs) {
  inducing_ = std::make_unique<Inducing>(inducing_at(std::move(inputs)));
}

SparseEp::Change EpApproximation::update(const RowSet& rows, EpUpdate& how) {
  passes_.start(*inducing_, rows);
  if (stale_) rebuild();
  const auto one_pass = [&](const EpUpdate& damped) {
    return ep_.finish_update(passes_.new_sites(ep_, damped, ctx_), rows.size, damped, ctx_);
  };
  const double n_factors = static_cast<double>(rows.size) * static_cast<double>(factors_.latents());
  return damped_update(one_pass, n_factors, how);
}

EpEvidence EpApproximation::evidence(double scale, bool by_inputs) {
  return passes_.evidence(ep_, scale, options_.gradient, by_inputs, ctx_);
}

bool EpApproximation::move_to(Matrix inputs) {
  try {
    auto next = std::make_unique<Inducing>(inducing_at(std::move(inputs)));
    const bool carried = options_.schedule != Schedule::ep || keeps_directions_;
    if (carried) ep_.change_coordinates(*inducing_, *next, ctx_.threads);
    stale_ = !carried;
    inducing_ = std::move(next);
    return true;
  } catch (const NotPositiveDefinite&) {
    return false;
  }
}

void EpApproximation::begin_anew() {
  ep_ = SparseEp(options_.schedule, factors_, size(), keeps_directions_);
  hand_out_sites();
}

void EpApproximation::refresh() {
  if (!stale_) return;
  start_all_rows();
  rebuild();
}

void EpApproximation::start_all_rows() {
  passes_.start(*inducing_, RowSet::range(0, passes_.rows()));
}

void EpApproximation::rebuild() {
  ep_.set_natural(passes_.product_of_sites(ep_, ctx_).natural, ctx_.threads);
  stale_ = false;
}

double EpApproximation::held_out_loss(const HeldOut& held_out) const {
  return gpsieve::held_out_loss(held_out, factors_, ep_, *inducing_, ctx_);
}

void EpApproximation::restore(State state) {
  ep_ = std::move(state.ep);
  inducing_ = std::make_unique<Inducing>(std::move(state.inducing));
  stale_ = false;
}

EpApproximation::State EpApproximation::read_state(Archive& archive, Matrix inputs) const {
  State state{ep_, inducing_at(std::move(inputs))};
  state.ep.visit(archive, ctx_.threads);
  return state;
}

void EpApproximation::visit(Archive& archive) {
  archive.visit(stale_);
  ep_.visit(archive, ctx_.threads);
}

void EpApproximation::fetch_sites() {
  start_all_rows();
  passes_.fetch_sites(ep_);
}

void EpApproximation::hand_out_sites() {
  start_all_rows();
  passes_.hand_out_sites(ep_);
}

EpFit EpApproximation::describe(std::vector<TraceRow> trace, std::string reason) const {
  EpFit fit;
  fit.evidence.log_z = TraceRow::kUnknown;
  fit.kernel_params = kernel_.params();
  fit.likelihood_params = factors_.params();
  fit.inducing = inducing_->inputs();
  fit.jitter = inducing_->jitter();
  fit.result.points = inducing_->inputs();
  fit.result.converged = reason.empty();
  fit.result.reason = std::move(reason);
  fit.result.latents.resize(static_cast<std::size_t>(factors_.latents()));
  for (Index k = 0; k < factors_.latents(); ++k) {
    LatentFit& latent = fit.result.latents[k];
    latent.posterior = inducing_->posterior(ep_.q(k), factors_.prior_mean(k));
    latent.posterior.basis = all_of(inducing_->size());
  }
  // All latent functions are fitted together and share one trace, kept with the first of them.
  fit.result.latents.front().trace = std::move(trace);
  return fit;
}

EpFit EpApproximation::finish(std::vector<TraceRow> trace, std::string reason) {
  refresh();
  EpFit fit = describe(std::move(trace), std::move(reason));
  start_all_rows();
  const double cost = static_cast<double>(passes_.rows()) * static_cast<double>(inducing_->size());
  const bool cheap = cost <= kCheapGradient;
  fit.evidence = passes_.evidence(ep_, 1.0, cheap ? options_.gradient : GradientForm::none,
                                  cheap && options_.input_gradient, ctx_);
  if (options_.schedule == Schedule::ep) add_sites(fit.result);
  return fit;
}

void EpApproximation::add_sites(FitResult& result) {
  const SiteTable table = passes_.site_table(ep_, ctx_);
  for (Index k = 0; k < factors_.latents(); ++k) {
    LatentFit& latent = result.latents[k];
    latent.cavity_mean = table.cavity.mean.col(k);
    latent.cavity_variance = table.cavity.variance.col(k);
    latent.site_rows = all_of(passes_.rows());
    const auto precision = table.precision.col(k).array();
    latent.site_precision = precision;
    latent.site_mean = (precision != 0.0).select(table.shift.col(k).array() / precision, 0.0);
  }
}

}  // namespace gpsieve
