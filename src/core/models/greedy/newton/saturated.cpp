#include "models/greedy/newton/saturated.h"

#include <algorithm>
#include <cmath>

#include "math/constants.h"
#include "models/greedy/newton/row_chunks.h"

namespace gpsieve {
namespace {

constexpr int kSteps = 100;
constexpr double kLongestStep = 4.0;
constexpr double kLeastGain = 1e-12;  // relative to the log density: a shorter step ends the search
constexpr double kShortestStep = 1e-9;

}  // namespace

double largest_log_density(const Likelihood& likelihood, Observed y, double start) {
  double f = start;
  Tilted now = likelihood.derivatives(y, f);
  for (int i = 0; i < kSteps; ++i) {
    const double newton = now.d2 < 0.0 ? -now.d1 / now.d2 : std::copysign(kInfinity, now.d1);
    double step = std::clamp(newton, -kLongestStep, kLongestStep);
    Tilted next = likelihood.derivatives(y, f + step);
    while (!(next.log_z >= now.log_z) && std::abs(step) > kShortestStep) {
      step *= 0.5;
      next = likelihood.derivatives(y, f + step);
    }
    if (!(next.log_z - now.log_z > kLeastGain * std::max(1.0, std::abs(now.log_z)))) break;
    f += step;
    now = next;
  }
  return now.log_z;
}

double saturated_log_likelihood(const Likelihood& likelihood, MatrixIn y, const CaseTerms& cases,
                                double prior_mean, const Context& ctx) {
  // The probability of a class comes as close to 1 as one wants.
  if (likelihood.response() == Response::binary) return 0.0;
  const Index n = y.rows();
  const Vector start = cases.prior_means(n, prior_mean), weight = cases.weights(n);
  Vector sums(chunks_of(n));
  for_row_chunks(n, 10.0 * kLikelihoodWork, ctx, [&](Index chunk, Index begin, Index rows) {
    double sum = 0.0;
    for (Index i = begin; i < begin + rows; ++i)
      sum += weight[i] * largest_log_density(likelihood, observed(y, i), start[i]);
    sums[chunk] = sum;
  });
  return sums.sum();
}

}  // namespace gpsieve
