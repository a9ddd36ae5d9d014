// Entropies of p(y | f) and of the predictive distribution, and the mutual information of y and f
// (theory.md#entropies).
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "likelihood/likelihood.h"
#include "math/gaussian_expectation.h"
#include "math/quadrature.h"

namespace gpsieve {
namespace {

constexpr double kTolerance = 1e-10;

// -p log p
double entropy_term(double log_p) { return log_p > -700.0 ? -log_p * std::exp(log_p) : 0.0; }

// -sum p log p over the counts 0, 1, ... until the probability of the remaining counts is
// negligible.
template <class LogMass>
double count_entropy(const LogMass& log_mass) {
  constexpr double kMaxTerms = 1e6, kNegligible = 1e-15;
  double sum = 0.0, mass = 0.0, previous = 0.0;
  for (double j = 0.0; j < kMaxTerms; j += 1.0) {
    const double log_p = log_mass(j), p = std::exp(log_p);
    mass += p;
    sum += entropy_term(log_p);
    if (mass > 0.5 && p < previous && p * (1.0 + j) < kNegligible) return sum;
    previous = p;
  }
  throw NumericalFailure("a count's distribution is too wide for its entropy");
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
      return count_entropy([&](double y) { return log_density(y, f); });
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
      return count_entropy(log_p);
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
