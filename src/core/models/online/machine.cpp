#include "models/online/machine.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/large_pages.h"
#include "linalg/products.h"
#include "models/online/another_kernel.h"

namespace gpsieve {
namespace {

// Relative to the prior variance. A smaller novelty is a rounding error of |W k|^2, and W has
// elements of the size of novelty^-1/2.
constexpr double kLeastNovelty = 1e-8;
// 1 + d2 var is the variance after a row over the variance before; smaller ones are rounding
// errors.
constexpr double kLeastVarianceRatio = 1e-15;
// Buffers are allocated at once for budgets up to this one, and grow for larger budgets.
constexpr Index kFirstCapacity = 255;
// W is computed again after so many rows, or half as many as there are basis points if that is
// more, at the end of a block.
constexpr Index kRefreshRows = 32;

double variance_ratio(const Tilted& tilted, double variance) {
  return std::max(1.0 + tilted.d2 * variance, kLeastVarianceRatio);
}

Vector extended(VectorIn v, double last) {
  Vector out(v.size() + 1);
  out << v, last;
  return out;
}

}  // namespace

OnlineMachine::OnlineMachine(const Kernel& kernel, const Likelihood& likelihood, Points x,
                             double prior_mean, const OnlineOptions& options, OnlineState start)
    : kernel_(kernel),
      likelihood_(likelihood),
      x_(x),
      prior_mean_(prior_mean),
      options_(options),
      mean_(std::move(start.mean)),
      weight_variance_(std::move(start.weight_variance)),
      stiffness_(std::move(start.stiffness)),
      log_evidence_(start.log_evidence),
      since_refresh_(start.since_refresh),
      refreshed_(start.refreshed) {
  // A point is included before another one is deleted.
  const Index capacity = options.bounded() ? std::min(options.budget, kFirstCapacity) + 1 : 0;
  basis_ = std::move(start.basis);
  block_ = RowBlock(start.pending, size());
  covariance_ = block_.empty() ? GrowingSymmetric(start.form, capacity)
                               : GrowingSymmetric::from_lower(start.pending.start,
                                                              size() - block_.included(), capacity);
  precision_ = GrowingSymmetric(start.precision, capacity);
  points_.resize(x.rows(), std::max(capacity, size()));
  for (Index j = 0; j < size(); ++j) points_.col(j) = x.col(basis_[j]);
  whitening_ = large_zero_matrix(std::max(capacity, size()), std::max(capacity, size()));
  whitening_.topLeftCorner(size(), size()) = start.whitening;
  whitened_ = size();
  triangular_ = start.whitening.isLowerTriangular(0.0);
}

Vector OnlineMachine::unwhiten(VectorIn v) const {
  Vector out(size());
  gemv(1.0, whitening(), Op::transposed, v, 0.0, out);
  return out;
}

Index OnlineMachine::held(const RowVisit& visit) const {
  if (!visit.again) return size();
  return std::find(basis_.begin(), basis_.end(), visit.row) - basis_.begin();
}

void OnlineMachine::vectors_by_row(const RowVisit& visit, double variance) {
  const Index b = size(), own = held(visit);
  if (b == 0) return;
  auto k = k_.head(b), v = v_.head(b), z = z_.head(b);
  kernel_.cross(points_.leftCols(b), x_.col(visit.row), k);
  if (own < b) k(own) = variance;
  gemv(1.0, whitening(), Op::plain, k, 0.0, v);
  gemv(1.0, covariance_.block(), Op::plain, v, 0.0, z);
}

void OnlineMachine::vectors_in_block(const RowVisit& visit, double variance) {
  if (block_.empty()) block_.begin(start());
  if (ahead_ == ahead_v_.cols()) look_ahead({visit});
  const Index b0 = start(), later = size() - b0, own = held(visit);
  v_.head(b0) = ahead_v_.col(ahead_);
  z_.head(b0) = ahead_z_.col(ahead_++);
  auto k = k_.head(later);
  if (later > 0) {
    kernel_.cross(points_.middleCols(b0, later), x_.col(visit.row), k);
    if (own >= b0 && own < size()) k(own - b0) = variance;
  }
  block_.complete(k, v_.head(size()), z_.head(size()));
}

void OnlineMachine::look_ahead(const std::vector<RowVisit>& visits) {
  if (!in_blocks()) return;
  const Index b0 = start(), n = static_cast<Index>(visits.size());
  ahead_ = 0;
  ahead_v_.resize(b0, n);
  ahead_z_.resize(b0, n);
  if (b0 == 0) return;
  Matrix rows(x_.rows(), n);
  for (Index j = 0; j < n; ++j) rows.col(j) = x_.col(visits[j].row);
  kernel_.cross(points_.leftCols(b0), rows, ahead_v_);
  Vector variance(1);
  for (Index j = 0; j < n; ++j) {
    const Index own = held(visits[j]);
    if (own >= b0) continue;
    kernel_.diagonal(rows.col(j), variance);
    ahead_v_(own, j) = variance(0);
  }
  trmm(Side::left, Triangle::lower, Op::plain, whitening_.topLeftCorner(b0, b0), ahead_v_);
  gemm(1.0, covariance_.block(), Op::plain, ahead_v_, Op::plain, 0.0, ahead_z_);
}

OnlineMachine::Marginal OnlineMachine::marginal(const RowVisit& visit) {
  const Index b = size();
  if (k_.size() < b)
    for (Vector* each : {&k_, &v_, &z_}) each->resize(2 * b);
  Vector kappa(1);
  kernel_.diagonal(x_.col(visit.row), kappa);
  Marginal f{kappa(0), kappa(0), 0.0, kappa(0)};
  if (in_blocks())
    vectors_in_block(visit, kappa(0));
  else
    vectors_by_row(visit, kappa(0));
  if (b > 0) {
    const auto v = v_.head(b), z = z_.head(b);
    const bool own = held(visit) < b;  // a basis point has novelty 0
    f.novelty = own ? 0.0 : std::max(kappa(0) - v.squaredNorm(), 0.0);
    f.mean = v.dot(mean_);
    f.variance = std::max(f.novelty + v.dot(z), 0.0);
  }
  if (!std::isfinite(f.mean) || !std::isfinite(f.variance) || !(f.prior_variance >= 0.0))
    throw NumericalFailure("the kernel or its variance is not finite at row " +
                           std::to_string(visit.row + 1));
  return f;
}

// theory.md (22): one row later the posterior is nearer to the prior.
void OnlineMachine::forget() {
  const Index b = size();
  const double rho = options_.persistence;
  mean_ *= rho;
  Matrix pulled = (rho * rho) * covariance_.block();
  pulled.diagonal().array() += (1.0 - rho) * (1.0 + rho);
  if (b > 0) covariance_.assign(pulled);
}

// P and the diagonals theory.md (4), from S and W.
void OnlineMachine::compute_information() {
  const auto information = information_of(covariance_.block(), whitening());
  precision_ = GrowingSymmetric(information.precision, size() + 1);
  weight_variance_ = information.weight_variance;
  stiffness_ = information.stiffness;
}

void OnlineMachine::absorb(const RowVisit& visit) {
  if (!in_blocks()) close_block();
  if (options_.forgets()) forget();
  const Marginal f = marginal(visit);
  const Tilted tilted =
      likelihood_.tilted(visit.y, f.mean + prior_mean_ + visit.offset, f.variance + visit.noise);
  if (!std::isfinite(tilted.d1) || !std::isfinite(tilted.d2))
    throw NumericalFailure("the likelihood has no moments at row " + std::to_string(visit.row + 1));
  if (!visit.again) log_evidence_ += tilted.log_z;
  if (f.novelty > std::max(options_.novelty, kLeastNovelty) * f.prior_variance) {
    include(visit.row, f, tilted);
    if (options_.bounded() && size() > options_.budget) delete_one();
  } else {
    project(f, tilted);
  }
  ++since_refresh_;
  if (block_.room() == 0) close_block();
  if (block_.empty() && since_refresh_ >= std::max(kRefreshRows, size() / 2)) refresh();
}

// Inclusion, theory.md (6), (7) and (9): the row becomes a basis point.
void OnlineMachine::include(Index row, const Marginal& f, const Tilted& tilted) {
  const bool waits = in_blocks();
  const Index b = size();
  const double root = std::sqrt(f.novelty);
  const Vector own = extended(v_.head(b), root), step = extended(z_.head(b), root);
  if (tracks_information()) track_inclusion(f, tilted);
  mean_ = extended(mean_, 0.0) + tilted.d1 * step;
  make_room();
  if (waits) {
    block_.include(own);
    block_.add(tilted.d2, step);
  } else {
    covariance_.append(Vector::Zero(b), 1.0);
    covariance_.add_square(tilted.d2, step);
    add_whitening_row(unwhiten(v_.head(b)), root);
  }
  points_.col(b) = x_.col(row);
  basis_.push_back(row);
  if (waits && tracks_information()) complete_whitening();
}

// The precision and the diagonals theory.md (4) after an inclusion.
void OnlineMachine::track_inclusion(const Marginal& f, const Tilted& tilted) {
  const Index b = size();
  const auto v = v_.head(b), z = z_.head(b);
  const double site = -tilted.d2 / variance_ratio(tilted, f.variance);
  const Vector e = unwhiten(v), joint = e.cwiseAbs2() / f.novelty;
  weight_variance_ = extended(weight_variance_ + joint + tilted.d2 * (unwhiten(z) - e).cwiseAbs2(),
                              1.0 / f.novelty + tilted.d2);
  stiffness_ = extended(stiffness_ + joint, 1.0 / f.novelty + site);
  precision_.append(Vector::Zero(b), 1.0);
  precision_.add_square(site, extended(v, std::sqrt(f.novelty)));
}

// Projection, theory.md (8) and (9): the basis stays.
void OnlineMachine::project(const Marginal& f, const Tilted& tilted) {
  const Index b = size();
  if (b == 0) return;
  const auto v = v_.head(b), z = z_.head(b);
  mean_ += tilted.d1 * z;
  if (in_blocks())
    block_.add(tilted.d2, z);
  else
    covariance_.add_square(tilted.d2, z);
  if (!tracks_information()) return;
  const double site = -tilted.d2 / variance_ratio(tilted, f.variance - f.novelty);
  weight_variance_ += tilted.d2 * unwhiten(z).cwiseAbs2();
  stiffness_ += site * unwhiten(v).cwiseAbs2();
  precision_.add_square(site, v);
}

// S and W take in the rows of the block, if there are any.
void OnlineMachine::close_block() {
  ahead_v_.resize(0, 0);
  ahead_ = 0;
  if (block_.empty()) return;
  complete_whitening();
  block_.apply(covariance_);
  block_.begin(start());
}

OnlineState OnlineMachine::state() {
  if (options_.bounded() && options_.forgets()) compute_information();
  complete_whitening();
  OnlineState state;
  state.basis = basis_;
  state.weights = unwhiten(mean_);
  if (block_.empty()) {
    state.form = covariance_.block();
  } else {
    GrowingSymmetric covariance(covariance_.block(), size());
    block_.apply(covariance);
    state.form = covariance.block();
    state.pending = block_.pending(covariance_);
  }
  state.whitening = whitening();
  state.mean = mean_;
  state.precision = precision_.block();
  state.weight_variance = weight_variance_;
  state.stiffness = stiffness_;
  state.log_evidence = log_evidence_;
  state.since_refresh = since_refresh_;
  state.refreshed = refreshed_;
  return state;
}

}  // namespace gpsieve
