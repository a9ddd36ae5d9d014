#include "models/meanfield/iterative.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

// The evidence of all copies of rows with the weights w, whose responses y (less the prior mean)
// have the noise s2 / w as rows: exact/theory.md (11).
double log_evidence(VectorIn y, VectorIn weights, double log_determinant, VectorIn copies,
                    double s2) {
  const double n = static_cast<double>(y.size());
  const double rows = -0.5 * (y.dot(weights) + log_determinant) - n * kLogSqrt2Pi;
  const double more = copies.sum() - n;
  return rows - more * (kLogSqrt2Pi + 0.5 * std::log(s2)) - 0.5 * copies.array().log().sum();
}

// Cavities that leave out one copy of each row: exact/theory.md (8), meanfield/theory.md (24). Rows
// of weight below 1 have a bound as in cavities.cpp: they lack more than there was.
void store_cavities(const ExactSolution& solution, VectorIn prior, VectorIn y, VectorIn copies,
                    double s2, LatentFit& fit) {
  constexpr double kLargestRise = 1e6;
  fit.cavity_variance.resize(y.size());
  for (Index i = 0; i < y.size(); ++i) {
    const double without = 1.0 / solution.inverse_diagonal(i) - s2 / copies(i);
    const double all = std::min(std::max(without, 0.0), prior(i));
    const double kept = 1.0 + (copies(i) - 1.0) * all / s2;
    fit.cavity_variance(i) = all / std::max(kept, 1.0 / kLargestRise);
  }
  fit.cavity_mean =
      y.array() - (fit.cavity_variance.array() + s2) * solution.weights.array() / copies.array();
}

}  // namespace

Vector noise_of_rows(const FitProblem& data) {
  return data.likelihood.noise_variance() * data.cases.weights(data.x.cols()).cwiseInverse();
}

IterativeFit fit_iteratively(const FitProblem& data, const ExactOptions& options,
                             const Context& ctx) {
  const Index n = data.x.cols();
  require_cases(data.cases, n);
  if (data.y.rows() != n || data.y.cols() != 1 || data.prior_mean.size() != 1 || n < 1)
    throw InvalidSpec("the response or the prior mean does not fit the rows");
  const double s2 = data.likelihood.noise_variance();
  const Vector copies = data.cases.weights(n);
  const Vector centred = data.y.col(0) - data.cases.prior_means(n, data.prior_mean(0));
  const Vector noise = noise_of_rows(data);
  Trace trace;
  ExactSolution solution = solve_exactly(data.kernel, data.x, centred, noise, options, ctx);

  IterativeFit result;
  result.mean = solution.mean + data.cases.prior_means(n, data.prior_mean(0));
  // The variance of f_i that goes with exact/theory.md (8).
  const auto explained = noise.array() * solution.inverse_diagonal.array();
  result.variance = (noise.array() * (1.0 - explained)).max(0.0);
  result.steps = solution.steps;
  result.residual = solution.residual;
  result.standard_error = 0.5 * solution.log_determinant.standard_error;
  LatentFit fit;
  fit.log_evidence =
      log_evidence(centred, solution.weights, solution.log_determinant.value, copies, s2);
  Vector prior(n);
  data.kernel.diagonal(data.x, prior);
  store_cavities(solution, prior, data.y.col(0), copies, s2, fit);
  fit.site_precision = copies / s2;
  fit.site_mean = centred;
  fit.site_rows.resize(n);
  std::iota(fit.site_rows.begin(), fit.site_rows.end(), Index{0});
  trace.record({solution.steps, fit.log_evidence, n});
  fit.trace = trace.rows();
  fit.posterior.basis = fit.site_rows;
  fit.posterior.prior_mean = data.prior_mean(0);
  fit.posterior.weights = std::move(solution.weights);
  fit.posterior.local = std::move(solution.variance);
  result.fit.converged = solution.converged;
  if (!solution.converged)
    result.fit.reason = "the residual of conjugate gradients is larger than asked for";
  result.fit.latents.push_back(std::move(fit));
  return result;
}

}  // namespace gpsieve
