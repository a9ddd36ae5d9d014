// Entropies of p(y | f) and of the predictive distribution, and the mutual information of y and f
// (theory.md#entropies).
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "likelihood/count_entropy.h"
#include "likelihood/likelihood.h"
#include "math/gaussian_expectation.h"
#include "math/quadrature.h"

namespace gpsieve {
namespace {

constexpr double kTolerance = 1e-10;

// -sum p log p over all counts, where nothing is known between them.
template <class LogMass>
double summed_entropy(const LogMass& log_mass) {
  constexpr double kMaxTerms = 1e6;
  const SumOfCounts found = entropy_of_first_counts(log_mass, kMaxTerms);
  if (!found.ended) throw NumericalFailure("a count's distribution is too wide for its entropy");
  return found.sum;
}

// -integral p log p over the whole line.
template <class LogDensity>
double real_entropy(const LogDensity& log_density, double centre, double unit) {
  constexpr int kFinest = -20, kCoarsest = 40;
  const Integrands integrand = [&](double y, double* out) {
    out[0] = entropy_term(log_density(y));
  };
  double sum[kMaxIntegrands];
  integrate_panels(integrand, 1, doubling_breaks(centre, unit, kFinest, kCoarsest), kTolerance,
                   sum);
  return sum[0];
}

}  // namespace

double Likelihood::entropy(double f) const {
  switch (response()) {
    case Response::binary:
      return entropy_term(log_density(1.0, f)) + entropy_term(log_density(-1.0, f));
    case Response::count:
      return summed_entropy([&](double y) { return log_density(y, f); });
    case Response::real:
      break;
  }
  return real_entropy([&](double y) { return log_density(y, f); }, f, 1.0);
}

double Likelihood::predictive_entropy(double mu, double var) const {
  const auto log_p = [&](double y) { return tilted(y, mu, var).log_z; };
  switch (response()) {
    case Response::binary:
      return entropy_term(log_p(1.0)) + entropy_term(log_p(-1.0));
    case Response::count:
      return summed_entropy(log_p);
    case Response::real:
      break;
  }
  return real_entropy(log_p, mu, 1.0 + std::sqrt(var));
}

double Likelihood::information(double mu, double var) const {
  // The entropy of a class changes near f = 0, on a scale that may be far smaller than sqrt(var).
  const double left = gaussian_expectation([&](double f) { return entropy(f); }, mu, var,
                                           doubling_breaks(0.0, 1.0, -20, 20));
  return std::max(predictive_entropy(mu, var) - left, 0.0);
}

Vector Likelihood::predictive_entropy_rows(VectorIn mu, VectorIn var) const {
  Vector out(mu.size());
  for (Index i = 0; i < out.size(); ++i) out[i] = predictive_entropy(mu[i], var[i]);
  return out;
}

Vector Likelihood::information_rows(VectorIn mu, VectorIn var) const {
  Vector out(mu.size());
  for (Index i = 0; i < out.size(); ++i) out[i] = information(mu[i], var[i]);
  return out;
}

}  // namespace gpsieve
