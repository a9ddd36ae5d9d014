#include "models/ivm/state.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "linalg/products.h"
#include "math/constants.h"
#include "sparse_ep/site.h"

namespace gpsieve {
namespace {

// A site counts as uniform if it reduces the variance by less than this share. Exact values
// underflow for rows far on the right side of the decision boundary.
constexpr double kUniformSite = 1e-100;

}  // namespace

IvmState::IvmState(const BoundKernel& kernel, const Likelihood& likelihood, VectorIn y,
                   double prior_mean, const IvmOptions& options)
    : kernel_(kernel),
      likelihood_(likelihood),
      y_(y),
      prior_mean_(prior_mean),
      options_(options),
      factor_(options.n_active),
      included_(kernel.size(), 0),
      root_precision_(options.n_active),
      site_mean_(options.n_active),
      gain_(options.n_active) {
  active_.reserve(options.n_active);
}

Vector IvmState::prior_variance() const { return kernel_.prior_variances(); }

void IvmState::scores(const Index* rows, VectorIn mean, VectorIn variance, VectorOut out) const {
  const Index n = mean.size();
  Vector y(n), shifted(n), log_z(n), d1(n), d2(n);
  for (Index j = 0; j < n; ++j) y(j) = y_(rows[j]);
  shifted = mean.array() + prior_mean_;
  for (Index j = 0; j < n; ++j)  // the likelihood could not name the row
    if (!std::isfinite(shifted(j)) || !std::isfinite(variance(j)))
      throw NumericalFailure("the kernel or its variance is not finite at row " +
                             std::to_string(rows[j] + 1));
  likelihood_.tilted(y, shifted, variance, log_z, d1, d2);
  for (Index j = 0; j < n; ++j) {
    const double reduction = -variance(j) * d2(j);  // a beta, in (0, 1) for log-concave likelihoods
    if (!(reduction > kUniformSite && reduction < 1.0) || !std::isfinite(d1(j))) {
      out(j) = -std::numeric_limits<double>::infinity();
    } else if (options_.criterion == Criterion::infogain) {
      // Twice theory.md (11).
      out(j) = -std::log1p(-reduction) - reduction + d1(j) * d1(j) * variance(j);
    } else {
      out(j) = reduction;  // theory.md (10) increases with a beta
    }
  }
}

bool IvmState::include(Index row, VectorIn column, double mean, double variance,
                       Inclusion& inclusion) {
  const Tilted tilted = likelihood_.tilted(y_(row), mean + prior_mean_, variance);
  const double beta = -tilted.d2;
  if (!(variance * beta > kUniformSite)) return false;
  const double precision = match_moments(tilted, mean, variance).precision;
  if (!(precision > 0.0) || !std::isfinite(precision)) return false;

  const double s = std::sqrt(precision), l = std::sqrt(1.0 + precision * variance);
  const Index k = size();
  factor_.append(s * column, l);
  root_precision_(k) = s;
  site_mean_(k) = mean + tilted.d1 / beta;
  gain_(k) = tilted.d1 * l / s;
  // One term of theory.md (13).
  log_evidence_ +=
      -std::log(l) + 0.5 * std::log(precision) - 0.5 * gain_(k) * gain_(k) - 0.5 * kLogTwoPi;
  active_.push_back(row);
  included_[row] = 1;
  inclusion = {row, s / l, gain_(k)};
  return true;
}

LatentFit IvmState::finish() const {
  const Index d = size();
  LatentFit fit;
  fit.posterior.basis = active_;
  fit.posterior.prior_mean = prior_mean_;
  fit.posterior.down.factor = factor();
  fit.posterior.down.scale = root_precision();
  // theory.md (15)
  Matrix solved = gain();
  trsm(Side::left, Triangle::lower, Op::transposed, fit.posterior.down.factor, solved);
  fit.posterior.weights = solved.col(0).cwiseProduct(root_precision());
  fit.site_precision = root_precision().array().square();
  fit.site_mean = site_mean_.head(d);
  fit.log_evidence = log_evidence_;
  return fit;
}

}  // namespace gpsieve
