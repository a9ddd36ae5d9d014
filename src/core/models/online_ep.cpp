#include "models/online_ep.h"

#include <algorithm>
#include <cmath>

#include "approx/site.h"
#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr double kImproperCavity = 1e-10;  // least share of the precision a cavity must keep

// C += scale h h'. The scale is applied last, so that C stays symmetric bit for bit.
void add_square(double scale, VectorIn h, Matrix& c) {
  const Eigen::Map<const Matrix> column(h.data(), h.size(), 1);
  gemm(scale, column, Op::plain, column, Op::transposed, 1.0, c);
}

}  // namespace

OnlineEp::OnlineEp(const Kernel& kernel, const Likelihood& likelihood, Points points, Vector y,
                   double prior_mean, OnlineState& state)
    : likelihood_(likelihood),
      gram_(points.cols(), points.cols()),
      y_(std::move(y)),
      prior_mean_(prior_mean),
      state_(state) {
  kernel.gram(points, gram_);
}

double OnlineEp::sweep(const std::function<void()>& poll) {
  double largest = 0.0;
  for (Index i = 0; i < y_.size(); ++i, poll()) largest = std::max(largest, revisit(i));
  refresh();
  return largest;
}

// Section 5: cavity, tilted moments, new site, and a rank-one update by the change of the site. A
// row whose cavity or site would be improper (likelihoods that are not log-concave) keeps its site.
double OnlineEp::revisit(Index i) {
  double& tau = state_.site_precision(i);
  double& nu = state_.site_shift(i);
  Vector h(y_.size());
  gemv(1.0, state_.form, Op::plain, gram_.col(i), 0.0, h);
  h(i) += 1.0;
  const double s = std::max(gram_.col(i).dot(h), 0.0), mu = gram_.col(i).dot(state_.weights);
  const double room = 1.0 - tau * s;
  if (!(room > kImproperCavity)) return 0.0;
  const double cavity_variance = s / room, cavity_mean = (mu - nu * s) / room;
  const Tilted tilted = likelihood_.tilted(y_(i), cavity_mean + prior_mean_, cavity_variance);
  const Site site = match_moments(tilted, cavity_mean, cavity_variance);
  const double step = site.precision - tau, spread = 1.0 + step * s;
  if (!std::isfinite(site.precision) || !std::isfinite(site.shift) || !(spread > 0.0)) return 0.0;
  const double shift = site.shift - nu;
  state_.weights += ((shift - step * mu) / spread) * h;
  add_square(-step / spread, h, state_.form);
  tau = site.precision;
  nu = site.shift;
  return std::max(std::abs(step) * s, std::abs(shift) * std::sqrt(s));
}

// C = -T^1/2 (I + T^1/2 K T^1/2)^-1 T^1/2 and u = nu + C K nu, T the diagonal of site precisions.
// Negative ones are left out of the factor and put in one by one.
void OnlineEp::refresh() {
  const Index n = y_.size();
  const Vector& tau = state_.site_precision;
  const Vector root = tau.cwiseMax(0.0).cwiseSqrt();
  Matrix b = root.asDiagonal() * gram_ * root.asDiagonal();
  b.diagonal().array() += 1.0;
  cholesky_in_place(b);
  half_log_det_ = sum_log_diagonal(b);
  Matrix half = root.asDiagonal();
  trsm(Side::left, Triangle::lower, Op::plain, b, half);
  syrk(-1.0, half, Op::transposed, 0.0, state_.form);
  symmetrise_from_lower(state_.form);
  Vector h(n);
  for (Index i = 0; i < n; ++i) {
    if (!(tau(i) < 0.0)) continue;
    gemv(1.0, state_.form, Op::plain, gram_.col(i), 0.0, h);
    h(i) += 1.0;
    const double spread = 1.0 + tau(i) * gram_.col(i).dot(h);
    if (!(spread > 0.0)) throw NotPositiveDefinite(i, spread);
    half_log_det_ += 0.5 * std::log(spread);
    add_square(-tau(i) / spread, h, state_.form);
  }
  gemv(1.0, gram_, Op::plain, state_.site_shift, 0.0, h);
  state_.weights = state_.site_shift;
  gemv(1.0, state_.form, Op::plain, h, 1.0, state_.weights);
}

double OnlineEp::log_evidence(Vector& cavity_mean, Vector& cavity_variance) const {
  const Index n = y_.size();
  Matrix explained(n, n);
  gemm(1.0, state_.form, Op::plain, gram_, Op::plain, 0.0, explained);
  Vector mean(n), variance(n);
  gemv(1.0, gram_, Op::plain, state_.weights, 0.0, mean);
  column_dots(gram_, explained, variance);
  variance = (variance + gram_.diagonal()).cwiseMax(0.0);

  const auto tau = state_.site_precision.array();
  const Vector room = (1.0 - tau * variance.array()).max(kImproperCavity);
  cavity_variance = variance.cwiseQuotient(room);
  cavity_mean = (mean - state_.site_shift.cwiseProduct(variance)).cwiseQuotient(room);
  double sum = -half_log_det_ + 0.5 * state_.site_shift.dot(mean);
  for (Index i = 0; i < n; ++i) {
    const double t = tau(i), nu = state_.site_shift(i), m = cavity_mean(i), v = cavity_variance(i);
    const double spread = 1.0 + t * v;
    // log Z_i less the log cavity expectation of the site.
    sum += likelihood_.tilted(y_(i), m + prior_mean_, v).log_z + 0.5 * std::log(spread) -
           (nu * m + 0.5 * nu * nu * v - 0.5 * t * m * m) / spread;
  }
  cavity_mean.array() += prior_mean_;
  return sum;
}

}  // namespace gpsieve
