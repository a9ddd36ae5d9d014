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

constexpr std::size_t kTraceHead = 60, kTraceRows = 300;  // a trace is thinned to so many rows

std::unique_ptr<RvmMachine> make_machine(const Likelihood& likelihood, VectorIn y,
                                         double prior_mean, const RvmOptions& options,
                                         const Context& ctx) {
  if (likelihood.gaussian())
    return std::make_unique<RvmRegression>(y.array() - prior_mean, options, ctx);
  return std::make_unique<RvmClassification>(y, std::exp(likelihood.params()(0)), prior_mean,
                                             options, ctx);
}

bool train(RvmMachine& machine, const RvmCandidates& candidates, bool regression,
           const RvmOptions& options, Rng& rng, Trace& trace, const Context& ctx) {
  switch (options.algorithm) {
    case RvmAlgorithm::em:
      return train_em(machine, candidates, options, trace, ctx);
    case RvmAlgorithm::ssem:
      return train_ssem(machine, candidates, options, rng, trace, ctx);
    case RvmAlgorithm::fast:
      break;
  }
  return (regression ? train_fast_regression : train_fast_classification)(machine, candidates,
                                                                          options, trace, ctx);
}

// The posterior has the intercept in front of the basis points.
void put_intercept_first(RvmMachine& machine, const RvmCandidates& candidates) {
  if (!candidates.intercept()) return;
  const Indices& index = machine.active().index();
  const auto found = std::find(index.begin(), index.end(), Index{0});
  if (found == index.end() || found == index.begin()) return;
  Indices order(index.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::rotate(order.begin(), order.begin() + (found - index.begin()),
              order.begin() + (found - index.begin()) + 1);
  machine.keep(order);
}

Vector evidence_gradient(const RvmMachine& machine, const Kernel& kernel, Points x,
                         const Matrix& basis, Index lead, const Likelihood& likelihood) {
  const Index own = kernel.n_params();
  // A probit's noise is never learned: its entry stays zero.
  Vector gradient = Vector::Zero(own + likelihood.n_params());
  if (likelihood.gaussian()) gradient(own) = machine.noise_gradient();
  if (own == 0 || basis.cols() == 0) return gradient;
  const Matrix weight = machine.design_gradient();
  kernel.cross_gradient(x, basis, weight.rightCols(weight.cols() - lead), gradient.head(own));
  return gradient;
}

LatentFit describe(const RvmMachine& machine, const RvmCandidates& candidates, const Kernel& kernel,
                   const Likelihood& likelihood, Points x, Points centres, double prior_mean,
                   const RvmOptions& options) {
  LatentFit fit;
  SparsePosterior& posterior = fit.posterior;
  const Indices& index = machine.active().index();
  posterior.intercept = candidates.intercept() && !index.empty() && index[0] == 0;
  const Index lead = posterior.intercept ? 1 : 0;
  for (Index j = lead; j < machine.active().size(); ++j)
    posterior.basis.push_back(candidates.centre(index[j]));
  posterior.weights = machine.mean();
  posterior.up = {machine.posterior().root(), machine.posterior().scale()};
  if (options.augmented) posterior.augmentation = {x, machine.row_precisions(), machine.noise()};
  posterior.prior_scale = 0.0;
  posterior.prior_mean = prior_mean;
  fit.log_evidence = machine.evidence();
  const Matrix basis =
      gather_columns(centres, posterior.basis.data(), static_cast<Index>(posterior.basis.size()));
  fit.evidence_gradient = evidence_gradient(machine, kernel, x, basis, lead, likelihood);
  machine.describe(fit);
  return fit;
}

}  // namespace

FitResult fit_rvm(const Kernel& kernel, const Likelihood& likelihood, Points x, MatrixIn y,
                  VectorIn prior_mean, Points centres, const RvmOptions& options,
                  std::uint64_t seed, const Context& ctx) {
  const bool regression = likelihood.gaussian();
  // Of the likelihoods for two classes the probit is the one with a parameter.
  if (!regression && (likelihood.response() != Response::binary || likelihood.n_params() != 1))
    throw InvalidSpec("a relevance vector machine needs a Gaussian or a probit likelihood");
  const Eigen::Ref<const Matrix> basis(centres.cols() > 0 ? centres : x);
  Context own = ctx;
  own.threads = kernel.usable_threads(own.threads);
  const RvmCandidates candidates(kernel, x, basis, options.intercept, own);
  const Index machines = y.cols(), starts = options.alpha_start.size();
  if (y.rows() != x.cols() || basis.rows() != x.rows() || prior_mean.size() != machines ||
      (starts != 1 && starts != candidates.size()))
    throw InvalidSpec("the response, the basis, the prior mean or the start does not fit");

  FitResult result;
  result.latents.resize(machines);
  std::vector<char> converged(static_cast<std::size_t>(machines), 1);
  Vector noise(machines);
  const auto fit_one = [&](Index c, Rng rng, const Context& task) {
    const auto machine = make_machine(likelihood, y.col(c), prior_mean(c), options, task);
    Trace trace;
    converged[c] = train(*machine, candidates, regression, options, rng, trace, task);
    put_intercept_first(*machine, candidates);
    machine->settle();
    result.latents[c] =
        describe(*machine, candidates, kernel, likelihood, x, basis, prior_mean(c), options);
    result.latents[c].trace = trace.thinned(kTraceHead, kTraceRows);
    noise(c) = machine->noise();
  };
  if (machines == 1)
    fit_one(0, Rng(seed), own);
  else
    parallel_tasks(own, machines, [&](Index c, const Context& task) {
      fit_one(c, Rng(seed, static_cast<std::uint64_t>(c)), task);
    });
  result.converged = std::find(converged.begin(), converged.end(), 0) == converged.end();
  if (!result.converged) result.reason = "max_iter was not enough for the tolerance";
  if (regression) result.likelihood_params = noise.array().log();
  if (centres.cols() > 0) result.points = centres;
  return result;
}

}  // namespace gpsieve
