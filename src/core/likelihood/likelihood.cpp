// The numerical defaults of a likelihood that defines only log_density.
#include "likelihood/likelihood.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "likelihood/count_quantile.h"
#include "likelihood/log_density_of.h"
#include "math/constants.h"
#include "math/normal.h"
#include "math/quadrature.h"
#include "math/root.h"

namespace gpsieve {
namespace {

void require_distribution(const Likelihood& likelihood, const char* what) {
  if (likelihood.response() == Response::binary)
    throw InvalidSpec(std::string("a binary response has no ") + what);
}

// Integrals of p(y) (y - mu)^k, k = 0, 1, 2, from -Inf to `to`, over panels at distances from mu
// that double over the whole range of scales a response may have.
struct PowerMoments {
  double mass, first, second, last_panel_second;
};
PowerMoments predictive_moments(const Likelihood& likelihood, double mu, double var, double to) {
  constexpr int kFinest = -20, kCoarsest = 40;  // powers of two, times 1 + sd
  const double unit = 1.0 + std::sqrt(var);
  std::vector<double> breaks;
  for (int k = kCoarsest; k >= kFinest; --k) breaks.push_back(-std::ldexp(unit, k));
  breaks.push_back(0.0);
  for (int k = kFinest; k <= kCoarsest; ++k) breaks.push_back(std::ldexp(unit, k));
  if (to < mu + breaks.back()) {
    const double end = std::max(to - mu, breaks.front());
    breaks.erase(std::lower_bound(breaks.begin(), breaks.end(), end), breaks.end());
    breaks.push_back(end);
  }
  const Integrands integrands = [&](double t, double* out) {
    const double density = std::exp(likelihood.tilted(mu + t, mu, var).log_z);
    out[0] = density;
    out[1] = density * t;
    out[2] = density * t * t;
  };
  constexpr double kTolerance = 1e-10;
  double sums[kMaxIntegrands];
  integrate_panels(integrands, 3, breaks, kTolerance, sums);
  double outer[kMaxIntegrands] = {0.0, 0.0, 0.0, 0.0};
  if (breaks.size() > 1) {
    const double last = breaks.back();
    integrate_panels(integrands, 3, {0.5 * last, last}, kTolerance, outer);
  }
  return {sums[0], sums[1], sums[2], outer[2]};
}

// Calls term(j, P(y = j)) for the counts j = 0, 1, ... up to `last`, until the probability of the
// remaining counts is negligible.
template <class Term>
void sum_counts(const Likelihood& likelihood, double mu, double var, double last,
                const Term& term) {
  constexpr double kMaxTerms = 1e7;
  constexpr double kNegligible = 1e-14;
  double mass = 0.0, previous = 0.0;
  for (double j = 0.0; j <= last; j += 1.0) {
    const double p = std::exp(likelihood.tilted(j, mu, var).log_z);
    mass += p;
    term(j, p);
    if (mass > 0.5 && p < previous && p * (1.0 + j * j) < kNegligible) return;
    if (j > kMaxTerms) throw NumericalFailure("a count's distribution is too wide to be summed");
    previous = p;
  }
}

double real_quantile(const Likelihood& likelihood, double probability, double mu, double var) {
  const auto excess = [&](double y) { return likelihood.cdf(y, mu, var) - probability; };
  const double start = mu + std::sqrt(var) * normal::quantile(probability);
  return increasing_root(excess, start, 0.25 * (std::sqrt(var) + std::abs(start - mu)) + 1e-6);
}

}  // namespace

Tilted Likelihood::tilted(Observed y, double mu, double var) const {
  const Jet z = integrate_tilted(log_density_of(*this, y), mu, var);
  return {z.value, z.first, z.second};
}

void Likelihood::tilted(MatrixIn y, VectorIn mu, VectorIn var, VectorOut log_z, VectorOut d1,
                        VectorOut d2) const {
  for (Index i = 0; i < y.rows(); ++i) {
    const Tilted t = tilted(observed(y, i), mu[i], var[i]);
    log_z[i] = t.log_z;
    d1[i] = t.d1;
    d2[i] = t.d2;
  }
}

void Likelihood::tilted_gradient(Observed, double, double, VectorOut) const {
  if (n_params() > 0) throw InvalidSpec("this likelihood does not know its parameters' gradient");
}

void Likelihood::log_densities(Observed y, VectorIn f, VectorOut out) const {
  for (Index i = 0; i < f.size(); ++i) out[i] = log_density(y, f[i]);
}

Tilted Likelihood::derivatives(Observed y, double f) const {
  // Five points. The errors are of order step^4, and of order eps / step^2 by rounding.
  const double step = 1e-3 * std::max(1.0, 1e-3 * std::abs(f));
  using Five = Eigen::Matrix<double, 5, 1>;
  Five points, l;
  points << f - 2.0 * step, f - step, f, f + step, f + 2.0 * step;
  log_densities(y, points, l);
  const double near = l[3] - l[1], far = l[4] - l[0];
  if (!std::isfinite(near) || !std::isfinite(far)) return {l[2], 0.0, 0.0};
  return {l[2], (8.0 * near - far) / (12.0 * step),
          (16.0 * (l[3] + l[1]) - (l[4] + l[0]) - 30.0 * l[2]) / (12.0 * step * step)};
}

double Likelihood::noise_variance() const {
  throw InvalidSpec("only Gaussian noise has a noise variance");
}

double Likelihood::third_derivative(Observed y, double f) const {
  const double step = 1e-3 * std::max(1.0, 1e-3 * std::abs(f));
  const auto second = [&](double shift) { return derivatives(y, f + shift).d2; };
  return (8.0 * (second(step) - second(-step)) - (second(2.0 * step) - second(-2.0 * step))) /
         (12.0 * step);
}

double Likelihood::log_probability(double mu, double var) const {
  if (response() != Response::binary)
    throw InvalidSpec("only a binary response has a class probability");
  return tilted(1.0, mu, var).log_z;
}

Predicted Likelihood::predict(double mu, double var) const {
  switch (response()) {
    case Response::binary: {
      const double p = std::exp(log_probability(mu, var));
      return {p, p * std::exp(tilted(-1.0, mu, var).log_z)};
    }
    case Response::count: {
      double first = 0.0, second = 0.0;
      sum_counts(*this, mu, var, kInfinity, [&](double j, double p) {
        first += j * p;
        second += j * j * p;
      });
      return {first, second - first * first};
    }
    case Response::real:
      break;
  }
  const PowerMoments m = predictive_moments(*this, mu, var, kInfinity);
  const double mean = m.first / m.mass;
  constexpr double kDiverging = 1e-6;  // share of the outermost panel, at 10^12 units
  const bool finite = m.last_panel_second < kDiverging * m.second;
  return {mu + mean, finite ? m.second / m.mass - mean * mean : kInfinity};
}

double Likelihood::cdf(double y, double mu, double var) const {
  require_distribution(*this, "distribution function");
  if (response() == Response::real) return predictive_moments(*this, mu, var, y).mass;
  double sum = 0.0;
  sum_counts(*this, mu, var, y, [&](double, double p) { sum += p; });
  return std::min(sum, 1.0);
}

void Likelihood::require_probability(double probability) {
  if (!(probability >= 0.0 && probability <= 1.0))
    throw InvalidSpec("a probability must lie between 0 and 1");
}

double Likelihood::quantile(double probability, double mu, double var) const {
  require_distribution(*this, "quantiles");
  require_probability(probability);
  const bool count = response() == Response::count;
  if (probability == 0.0) return count ? 0.0 : -kInfinity;
  if (probability == 1.0) return kInfinity;
  if (!count) return real_quantile(*this, probability, mu, var);
  return count_quantile([&](double y) { return cdf(y, mu, var); }, probability,
                        near_count_quantile(probability, mu, var));
}

Matrix Likelihood::predict_rows(VectorIn mu, VectorIn var) const {
  Matrix out(mu.size(), 2);
  for (Index i = 0; i < out.rows(); ++i) {
    const Predicted response = predict(mu[i], var[i]);
    out(i, 0) = response.mean;
    out(i, 1) = response.variance;
  }
  return out;
}

Vector Likelihood::cdf_rows(VectorIn y, VectorIn mu, VectorIn var) const {
  Vector out(y.size());
  for (Index i = 0; i < out.size(); ++i) out[i] = cdf(y[i], mu[i], var[i]);
  return out;
}

Matrix Likelihood::quantile_rows(VectorIn probabilities, VectorIn mu, VectorIn var) const {
  Matrix out(mu.size(), probabilities.size());
  for (Index j = 0; j < out.cols(); ++j)
    for (Index i = 0; i < out.rows(); ++i) out(i, j) = quantile(probabilities[j], mu[i], var[i]);
  return out;
}

}  // namespace gpsieve
