#include "models/ivm/state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "linalg/products.h"
#include "math/constants.h"
#include "sparse_ep/site.h"

namespace gpsieve {
namespace {

// A site counts as uniform if it reduces the variance by less than this share. Exact values
// underflow for rows far on the right side of the decision boundary.
constexpr double kUniformSite = 1e-100;

// theory.md (18): log of the product of w densities N(site mean | f, 1 / p) over that of one with
// variance 1 / (w p).
double log_of_copies(double p, double w) {
  return 0.5 * (w * std::log(p) - std::log(w * p) - (w - 1.0) * kLogTwoPi);
}

}  // namespace

IvmState::IvmState(const BoundKernel& kernel, const Likelihood& likelihood, MatrixIn y,
                   double prior_mean, const IvmOptions& options, const CaseTerms& cases)
    : kernel_(kernel),
      likelihood_(likelihood),
      y_(y),
      prior_mean_(prior_mean),
      prior_means_(cases.prior_means(y.rows(), prior_mean)),
      weight_(cases.weights(y.rows())),
      weighted_(cases.weighted()),
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
  Matrix y(n, y_.cols());
  Vector shifted(n), log_z(n), d1(n), d2(n);
  for (Index c = 0; c < y.cols(); ++c)
    for (Index j = 0; j < n; ++j) y(j, c) = y_(rows[j], c);
  for (Index j = 0; j < n; ++j) shifted(j) = mean(j) + prior_means_(rows[j]);
  for (Index j = 0; j < n; ++j)  // the likelihood could not name the row
    if (!std::isfinite(shifted(j)) || !std::isfinite(variance(j)))
      throw NumericalFailure("the kernel or its variance is not finite at row " +
                             std::to_string(rows[j] + 1));
  likelihood_.tilted(y, shifted, variance, log_z, d1, d2);
  for (Index j = 0; j < n; ++j) {
    double reduction = -variance(j) * d2(j);  // a beta, in (0, 1) for log-concave likelihoods
    if (weighted_ && reduction > 0.0) {  // theory.md (17): w copies with the site of the first one
      const double copies = weight_(rows[j]) / (1.0 + (weight_(rows[j]) - 1.0) * reduction);
      reduction *= copies;
      d1(j) *= copies;
    }
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
  const Tilted tilted = likelihood_.tilted(observed(y_, row), mean + prior_means_(row), variance);
  const double beta = -tilted.d2;
  if (!(variance * beta > kUniformSite)) return false;
  double precision = match_moments(tilted, mean, variance).precision;
  double site_mean = mean + tilted.d1 / beta;
  double copies = 0.0;  // log density that the copies of the row add to that of one of them
  const bool several = weighted_ && weight_(row) != 1.0;
  if (several) {
    const Site site = site_of_copies(row, mean, variance);
    precision = weight_(row) * site.precision;
    site_mean = site.shift / site.precision;
    copies = log_of_copies(site.precision, weight_(row));
  }
  if (!(precision > 0.0) || !std::isfinite(precision) || !std::isfinite(site_mean)) return false;

  const Index k = size();
  const double s = std::sqrt(precision), l = std::sqrt(1.0 + precision * variance);
  factor_.append(s * column, l);
  root_precision_(k) = s;
  site_mean_(k) = site_mean;
  gain_(k) = several ? (site_mean - mean) * s / l : tilted.d1 * l / s;
  // One term of theory.md (13).
  log_evidence_ += -std::log(l) + 0.5 * std::log(precision) - 0.5 * gain_(k) * gain_(k) -
                   0.5 * kLogTwoPi + copies;
  last_information_ = std::log(l);
  active_.push_back(row);
  included_[row] = 1;
  inclusion = {row, s / l, gain_(k)};
  return true;
}

// Moment matching for one copy, whose cavity is the row's marginal times the site of the other
// w - 1, repeated until the site no longer changes.
Site IvmState::site_of_copies(Index row, double mean, double variance) const {
  constexpr int kMaxRounds = 200;
  constexpr double kTolerance = 1e-13;
  const double others = weight_(row) - 1.0;
  Site site;
  double least = std::numeric_limits<double>::infinity(), share = 1.0;
  for (int round = 0; round < kMaxRounds; ++round) {
    const double room = 1.0 + others * site.precision * variance;
    if (!(room > 0.0)) break;  // fewer than one copy: the cavity has no variance
    const double v = variance / room, m = (mean + others * site.shift * variance) / room;
    const Tilted tilted = likelihood_.tilted(observed(y_, row), m + prior_means_(row), v);
    const Site next = match_moments(tilted, m, v);
    const double step = next.precision - site.precision, shift = next.shift - site.shift;
    const double change =
        std::max(std::abs(step) * variance, std::abs(shift) * std::sqrt(variance));
    if (!std::isfinite(change)) break;
    if (change > 0.5 * least) share = std::max(0.5 * share, 1.0 / (1.0 + weight_(row)));
    least = std::min(least, change);
    site.precision += share * step;
    site.shift += share * shift;
    if (change <= kTolerance * (1.0 + site.precision * variance)) break;
  }
  return site;
}

LatentFit IvmState::finish() const {
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
  fit.site_mean = site_mean_.head(size());
  fit.log_evidence = log_evidence_;
  return fit;
}

}  // namespace gpsieve
