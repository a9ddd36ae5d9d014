// Entropies of counts (theory.md#entropies).
#ifndef GPSIEVE_LIKELIHOOD_COUNT_ENTROPY_H
#define GPSIEVE_LIKELIHOOD_COUNT_ENTROPY_H

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "math/gaussian_expectation.h"
#include "math/quadrature.h"

namespace gpsieve {

// -p log p
inline double entropy_term(double log_p) { return log_p > -700.0 ? -log_p * std::exp(log_p) : 0.0; }

// -sum p log p over the counts from 0 until the probability of the remaining counts is negligible,
// or until `last`, with `ended` false.
struct SumOfCounts {
  double sum;
  bool ended;
};
template <class LogMass>
SumOfCounts entropy_of_first_counts(const LogMass& log_mass, double last) {
  constexpr double kNegligible = 1e-15;
  double sum = 0.0, mass = 0.0, previous = 0.0;
  for (double j = 0.0; j < last; j += 1.0) {
    const double log_p = log_mass(j), p = std::exp(log_p);
    mass += p;
    sum += entropy_term(log_p);
    if (mass > 0.5 && p < previous && p * (1.0 + j) < kNegligible) return {sum, true};
    previous = p;
  }
  return {sum, false};
}

// The sum of g(j) over the counts j = first, first + 1, ... by the Euler-Maclaurin formula: the
// integral from first - 1/2, over log y, and two terms for its lower end. About exp(mu) the
// function changes on the scale `width` of log y, and nowhere on a smaller one.
template <class Function>
double sum_by_integral(const Function& g, double first, double mu, double width) {
  const double end = first - 0.5;
  const auto difference = [&](double step) { return g(end + step) - g(end - step); };
  const double near = difference(1.0), far = difference(2.0);
  const double slope = (8.0 * near - far) / 12.0, third = 0.5 * (far - 2.0 * near);
  constexpr int kCoarsest = 4;
  constexpr double kLargest = 1e18;  // no count is so large
  const int finest = static_cast<int>(std::floor(std::log2(width / (1.0 + width)))) - 1;
  std::vector<double> breaks{std::log(end)};
  for (const double at : doubling_breaks(mu, 1.0 + width, finest, kCoarsest))
    if (at > breaks.front() && at < std::log(kLargest)) breaks.push_back(at);
  const Integrands integrand = [&](double t, double* out) {
    const double y = std::exp(t);
    out[0] = g(y) * y;
  };
  constexpr double kTolerance = 1e-10;
  double sum[kMaxIntegrands];
  integrate_panels(integrand, 1, breaks, kTolerance, sum);
  return sum[0] + slope / 24.0 - 7.0 * third / 5760.0;
}

// The entropy of a count of mean exp(f), f ~ N(mu, var). `log_mass(y)` is log P(y), also between
// counts, where the gamma function takes the place of the factorial. The first counts are summed
// and the others integrated, so that the cost does not grow with the mean.
template <class LogMass>
double count_entropy(const LogMass& log_mass, double mu, double var) {
  constexpr double kSummed = 400.0, kVanishing = -745.0;
  const double width = std::sqrt(var + std::exp(-std::max(mu, 0.0)));
  const auto term = [&](double y) { return entropy_term(log_mass(y)); };
  const bool far = std::exp(mu) > kSummed && log_mass(kSummed) < kVanishing;
  const SumOfCounts first =
      far ? SumOfCounts{0.0, false} : entropy_of_first_counts(log_mass, kSummed);
  return first.ended ? first.sum : first.sum + sum_by_integral(term, kSummed, mu, width);
}

}  // namespace gpsieve

#endif
