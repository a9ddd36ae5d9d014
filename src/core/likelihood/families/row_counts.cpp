// The distribution of a count in every row (row_integrals.h).
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "likelihood/families/latent_places.h"
#include "likelihood/families/row_integrals.h"
#include "math/constants.h"

namespace gpsieve {

Vector conditional_count_entropies(const RowDensity& density, VectorIn mu, VectorIn var) {
  const LatentPlaces places(mu, var);
  const Index n = static_cast<Index>(places.f.size());
  constexpr double kLeast = 1e-20;  // a density needs a positive variance
  const RowCounts given(density, Eigen::Map<const Vector>(places.f.data(), n),
                        Vector::Constant(n, kLeast));
  Vector out = Vector::Zero(mu.size());
  for (Index i = 0; i < out.size(); ++i)
    for (Index at = places.first(i); at < places.end[i]; ++at)
      out[i] += places.weights[at] * given.entropy(at);
  return out;
}

RowCounts::RowCounts(const RowDensity& density, VectorIn mu, VectorIn var) {
  constexpr Index kTogether = 32, kMaxCounts = 1000000;
  constexpr double kNegligible = 1e-14;
  p_.resize(mu.size());
  Indices open(mu.size());
  for (Index i = 0; i < mu.size(); ++i) open[i] = i;
  for (Index first = 0; !open.empty(); first += kTogether) {
    if (first > kMaxCounts)
      throw NumericalFailure("a count's distribution is too wide to be summed");
    const Index n = static_cast<Index>(open.size()) * kTogether;
    Vector y(n), mean(n), variance(n), log_z(n), d1(n), d2(n);
    for (Index j = 0; j < n; ++j) {
      y[j] = static_cast<double>(first + j % kTogether);
      mean[j] = mu[open[j / kTogether]];
      variance[j] = var[open[j / kTogether]];
    }
    tilted_rows(density, false, y, mean, variance, log_z, d1, d2);
    if (log_z.array().isNaN().any())
      throw NumericalFailure("the likelihood of an observation vanishes for every latent value");
    Indices still;
    for (std::size_t k = 0; k < open.size(); ++k) {
      std::vector<double>& p = p_[open[k]];
      double mass = 0.0;
      for (const double each : p) mass += each;
      bool done = false;
      for (Index j = 0; j < kTogether && !done; ++j) {
        const double count = static_cast<double>(first + j);
        p.push_back(std::exp(log_z[static_cast<Index>(k) * kTogether + j]));
        mass += p.back();
        done = mass > 0.5 && p.size() > 1 && p.back() < p[p.size() - 2] &&
               p.back() * (1.0 + count * count) < kNegligible;
      }
      if (!done) still.push_back(open[k]);
    }
    open.swap(still);
  }
}

Predicted RowCounts::moments(Index row) const {
  double first = 0.0, second = 0.0, count = 0.0;
  for (const double p : p_[row]) {
    first += count * p;
    second += count * count * p;
    count += 1.0;
  }
  return {first, second - first * first};
}

double RowCounts::cdf(Index row, double y) const {
  double sum = 0.0, count = 0.0;
  for (const double p : p_[row]) {
    if (count > y) break;
    sum += p;
    count += 1.0;
  }
  return std::min(sum, 1.0);
}

double RowCounts::entropy(Index row) const {
  double sum = 0.0;
  for (const double p : p_[row])
    if (p > 0.0) sum -= p * std::log(p);
  return sum;
}

double RowCounts::quantile(Index row, double probability) const {
  if (probability == 1.0) return kInfinity;
  double sum = 0.0, count = 0.0;
  for (const double p : p_[row]) {
    sum += p;
    if (sum >= probability) return count;
    count += 1.0;
  }
  return count;
}

}  // namespace gpsieve
