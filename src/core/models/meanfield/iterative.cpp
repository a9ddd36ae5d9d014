#include "models/meanfield/iterative.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "math/constants.h"
#include "models/latent_responses.h"
#include "models/meanfield/iterative_sites.h"

namespace gpsieve {
namespace {

// The evidence of all copies of rows with the weights w, whose responses y (less the prior mean)
// have the noise s2 / w as rows: exact/theory.md (11).
double gaussian_evidence(VectorIn y, VectorIn weights, double log_determinant, VectorIn copies,
                         double s2) {
  const double n = static_cast<double>(y.size());
  const double rows = -0.5 * (y.dot(weights) + log_determinant) - n * kLogSqrt2Pi;
  const double more = copies.sum() - n;
  return rows - more * (kLogSqrt2Pi + 0.5 * std::log(s2)) - 0.5 * copies.array().log().sum();
}

// Minus the free energy of TAP from log|K + D|: exact/theory.md (15).
double tap_evidence(const ExactSolution& solution, const RowCavities& cavities,
                    const TiltedRows& tilted, const RowSites& sites, VectorIn copies) {
  const double data = copies.dot(tilted.log_z) - 0.5 * solution.weights.dot(cavities.mean);
  const auto one = sites.precision.array() / copies.array();
  // log of W / r = T and of r = 1 / (1 + T s), by meanfield/theory.md (6) and (7).
  const auto log_ratio = -(one * cavities.variance.array()).log1p();
  const double determinant = solution.log_determinant.value + sites.precision.array().log().sum() +
                             (copies.array() * log_ratio).sum();
  return data - 0.5 * determinant;
}

void store_sites(const RowSites& sites, const RowCavities& cavities, const FitProblem& data,
                 LatentFit& fit) {
  const Index n = data.x.cols();
  fit.site_precision = sites.precision;
  fit.site_mean = sites.mean;
  fit.cavity_variance = cavities.variance;
  fit.cavity_mean = cavities.mean + data.cases.prior_means(n, data.prior_mean(0));
  fit.site_rows.resize(n);
  std::iota(fit.site_rows.begin(), fit.site_rows.end(), Index{0});
}

}  // namespace

Vector noise_of_rows(const FitProblem& data) {
  const Index n = data.x.cols();
  if (!data.likelihood.gaussian()) return Vector::Zero(n);
  return data.likelihood.noise_variance() * data.cases.weights(n).cwiseInverse();
}

IterativeFit fit_iteratively(const FitProblem& data, const IterativeOptions& options,
                             const Context& ctx) {
  const Index n = data.x.cols();
  require_cases(data.cases, n);
  require_responses(data, n);
  if (data.machines() != 1) throw InvalidSpec("all rows are solved for with one latent function");
  const bool gaussian = data.likelihood.gaussian();
  const Vector copies = data.cases.weights(n);
  Vector prior(n);
  data.kernel.diagonal(data.x, prior);
  Trace trace;
  Vector noise = noise_of_rows(data);
  const ExactSolver solver(data.kernel, data.x, noise, options.exact, ctx);
  IterativeFit result;
  RowSites sites;
  if (gaussian) {
    sites.precision = copies / data.likelihood.noise_variance();
    sites.mean = latent_responses(data.likelihood, data.responses(0)) -
                 data.cases.prior_means(n, data.prior_mean(0));
  } else {
    const SitesFound found =
        find_sites(data, solver, prior, options.max_rounds, options.site_tol, ctx);
    sites = found.sites;
    result.fit.converged = found.converged;
    result.fit.reason = found.reason;
    result.rounds = found.rounds;
    noise = sites.precision.cwiseInverse();
  }
  Context last = ctx;
  if (!gaussian) last.progress = nullptr;  // the rounds have told all of it
  ExactSolution solution =
      solver.solve(sites.mean, noise, options.exact.tol, options.exact.probes, last);
  const RowCavities cavities = cavities_without_copy(solution, sites, copies, prior);

  result.mean = solution.mean + data.cases.prior_means(n, data.prior_mean(0));
  // The variance of f_i that goes with exact/theory.md (8).
  const auto explained = noise.array() * solution.inverse_diagonal.array();
  result.variance = (noise.array() * (1.0 - explained)).max(0.0);
  result.steps = solution.steps;
  result.residual = solution.residual;
  result.standard_error = 0.5 * solution.log_determinant.standard_error;
  LatentFit fit;
  fit.log_evidence =
      gaussian ? gaussian_evidence(sites.mean, solution.weights, solution.log_determinant.value,
                                   copies, data.likelihood.noise_variance()) +
                     sum_log_jacobians(data.likelihood, data.responses(0), copies)
               : tap_evidence(solution, cavities, tilted_rows(data, cavities, ctx), sites, copies);
  store_sites(sites, cavities, data, fit);
  trace.record({solution.steps, fit.log_evidence, n});
  fit.trace = trace.rows();
  fit.posterior.basis = fit.site_rows;
  fit.posterior.prior_mean = data.prior_mean(0);
  fit.posterior.weights = std::move(solution.weights);
  fit.posterior.local = std::move(solution.variance);
  if (!solution.converged) {
    result.fit.converged = false;
    result.fit.reason = "the residual of conjugate gradients is larger than asked for";
  }
  result.fit.latents.push_back(std::move(fit));
  return result;
}

}  // namespace gpsieve
