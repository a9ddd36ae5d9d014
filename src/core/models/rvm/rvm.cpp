#include "models/rvm/rvm.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "models/rvm/classification.h"
#include "models/rvm/regression.h"
#include "models/rvm/schedule.h"

namespace gpsieve {
namespace {

// A trace is thinned to at most kTraceRows rows, of which the first kTraceHead are all kept.
constexpr std::size_t kTraceHead = 60, kTraceRows = 300;

std::unique_ptr<RvmModel> make_model(const Likelihood& likelihood, VectorIn y, double prior_mean,
                                     const RvmOptions& options, const CaseTerms& cases,
                                     const Context& ctx) {
  if (likelihood.gaussian()) {
    Vector t = y - cases.prior_means(y.size(), prior_mean);
    if (cases.weighted()) t = t.cwiseProduct(cases.weight.cwiseSqrt());
    return std::make_unique<RvmRegression>(t, options, ctx, cases);
  }
  return std::make_unique<RvmClassification>(y, likelihood.step_noise(), prior_mean, options, ctx,
                                             cases);
}

bool train(RvmModel& model, const RvmDesignMatrix& design, bool regression,
           const RvmOptions& options, Rng& rng, Trace& trace, const Context& ctx) {
  switch (options.algorithm) {
    case RvmAlgorithm::em:
      return train_em(model, design, options, trace, ctx);
    case RvmAlgorithm::ssem:
      return train_ssem(model, design, options, rng, trace, ctx);
    case RvmAlgorithm::fast:
      break;
  }
  return (regression ? train_fast_regression : train_fast_classification)(model, design, options,
                                                                          trace, ctx);
}

// Moves the intercept, if it is active, to the front of the active set: SparsePosterior expects it
// before the basis points.
void move_intercept_first(RvmModel& model, const RvmDesignMatrix& design) {
  if (!design.intercept()) return;
  const Indices& index = model.active().index();
  const auto found = std::find(index.begin(), index.end(), Index{0});
  if (found == index.end() || found == index.begin()) return;
  Indices order(index.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::rotate(order.begin(), order.begin() + (found - index.begin()),
              order.begin() + (found - index.begin()) + 1);
  model.keep_functions(order);
}

// h_j of the active functions.
Vector active_scales(const RvmModel& model, const RvmDesignMatrix& design) {
  Vector scales(model.active().size());
  for (Index j = 0; j < scales.size(); ++j) scales(j) = design.scale(model.active().index()[j]);
  return scales;
}

// Gradient by the log parameters of the kernel, then of the likelihood, at fixed precisions of the
// weights of the kernel functions, theory.md (38).
Vector evidence_gradient(const RvmModel& model, const RvmDesignMatrix& design, const Kernel& kernel,
                         Points x, const Matrix& basis, VectorIn scales,
                         const Likelihood& likelihood) {
  const Index count = kernel.n_params();
  // The input noise of a probit likelihood is never learned, and its entry stays zero.
  Vector gradient = Vector::Zero(count + likelihood.n_params());
  if (likelihood.gaussian()) gradient(count) = model.noise_gradient();
  if (count == 0 || basis.cols() == 0) return gradient;
  Matrix by_design = model.design_gradient() * scales.cwiseInverse().asDiagonal();
  if (design.row_scale().size() > 0) by_design.array().colwise() *= design.row_scale().array();
  kernel.cross_gradient(x, basis, by_design.rightCols(basis.cols()), gradient.head(count));
  return gradient;
}

LatentFit latent_fit(const RvmModel& model, const RvmDesignMatrix& design, const Kernel& kernel,
                     const Likelihood& likelihood, Points x, Points centres, double prior_mean,
                     const RvmOptions& options) {
  LatentFit fit;
  SparsePosterior& posterior = fit.posterior;
  const Indices& index = model.active().index();
  posterior.intercept = design.intercept() && !index.empty() && index[0] == 0;
  for (Index j = posterior.intercept ? 1 : 0; j < model.active().size(); ++j)
    posterior.basis.push_back(design.centre(index[j]));
  // The posterior of the weights of the kernel functions, which are w_j / h_j.
  const Vector scales = active_scales(model, design);
  posterior.weights = model.mean().cwiseQuotient(scales);
  posterior.up = {model.posterior().factor(), model.posterior().prior_sd().cwiseQuotient(scales)};
  if (options.augmented) posterior.augmentation = {x, model.row_precisions(), model.noise()};
  posterior.prior_scale = 0.0;
  posterior.prior_mean = prior_mean;
  fit.log_evidence = model.evidence();
  const Matrix basis =
      gather_columns(centres, posterior.basis.data(), static_cast<Index>(posterior.basis.size()));
  fit.evidence_gradient = evidence_gradient(model, design, kernel, x, basis, scales, likelihood);
  model.write_cavities(fit);
  return fit;
}

}  // namespace

FitResult fit_rvm(const FitProblem& problem, Points centres, const RvmOptions& options,
                  std::uint64_t seed, const Context& ctx, Index first_machine) {
  const Kernel& kernel = problem.kernel;
  const Likelihood& likelihood = problem.likelihood;
  const CaseTerms& cases = problem.cases;
  Points x = problem.x;
  MatrixIn y = problem.y;
  VectorIn prior_mean = problem.prior_mean;
  require_cases(cases, y.rows());
  const bool regression = likelihood.gaussian();
  if (likelihood.warped() || (!regression && !(likelihood.step_noise() > 0.0)))
    throw InvalidSpec("a relevance vector machine needs a Gaussian or a probit likelihood");
  const Eigen::Ref<const Matrix> basis(centres.cols() > 0 ? centres : x);
  Context own = ctx;
  own.threads = kernel.usable_threads(own.threads);
  const Index machines = y.cols(), starts = options.alpha_start.size();
  const Index candidates = basis.cols() + (options.intercept ? 1 : 0);
  if (x.cols() < 1 || machines < 1 || y.rows() != x.cols() || basis.rows() != x.rows() ||
      prior_mean.size() != machines || (starts != 1 && starts != candidates))
    throw InvalidSpec("the response, the basis, the prior mean or the start does not fit");
  const RvmDesignMatrix design(
      kernel, x, basis, options.intercept, own, cases.weight,
      regression && cases.weighted() ? Vector(cases.weight.cwiseSqrt()) : Vector());

  FitResult result;
  result.latents.resize(machines);
  std::vector<char> converged(static_cast<std::size_t>(machines), 1);
  Vector noise(machines);
  const auto fit_one = [&](Index c, const Context& task) {
    Rng rng(seed, static_cast<std::uint64_t>(first_machine + c));
    const auto model = make_model(likelihood, y.col(c), prior_mean(c), options, cases, task);
    Trace trace;
    converged[c] = train(*model, design, regression, options, rng, trace, task);
    move_intercept_first(*model, design);
    model->final_e_step();
    result.latents[c] =
        latent_fit(*model, design, kernel, likelihood, x, basis, prior_mean(c), options);
    result.latents[c].trace = trace.thinned(kTraceHead, kTraceRows);
    noise(c) = model->noise();
  };
  if (machines == 1)
    fit_one(0, own);
  else
    parallel_tasks(own, machines, fit_one);
  result.converged = std::find(converged.begin(), converged.end(), 0) == converged.end();
  if (!result.converged) result.reason = "max_iter was not enough for the tolerance";
  if (regression) result.likelihood_params = noise.array().log();
  if (centres.cols() > 0) result.points = centres;
  return result;
}

}  // namespace gpsieve
