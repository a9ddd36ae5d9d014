#include "models/online/machine.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "math/constants.h"
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
// more.
constexpr Index kRefreshRows = 32;

double variance_ratio(const Tilted& tilted, double variance) {
  return std::max(1.0 + tilted.d2 * variance, kLeastVarianceRatio);
}

Vector extended(VectorIn v, double last) {
  Vector out(v.size() + 1);
  out << v, last;
  return out;
}

void require_square(const Matrix& m, Index size, const char* name) {
  if (m.rows() != size || m.cols() != size || !m.allFinite())
    throw InvalidSpec(std::string("the state's ") + name + " is damaged");
}

void require_vector(const Vector& v, Index size, const char* name) {
  if (v.size() != size || !v.allFinite())
    throw InvalidSpec(std::string("the state's ") + name + " is damaged");
}

}  // namespace

void require_valid(const OnlineState& state, const OnlineOptions& options, Index points) {
  const Index size = static_cast<Index>(state.basis.size());
  const Index by_row = options.keeps_rows() ? size : 0, by_basis = size - by_row;
  const Index by_budget = options.bounded() ? size : 0;
  for (const Index i : state.basis)
    if (i < 0 || i >= points) throw InvalidSpec("the state refers to a point it does not have");
  if (options.bounded() && size > options.budget)
    throw InvalidSpec("the state has more basis points than the budget");
  require_vector(state.weights, size, "weights");
  require_square(state.form, size, "covariance");
  require_square(state.whitening, by_basis, "whitening");
  require_vector(state.mean, by_basis, "mean");
  require_square(state.precision, by_budget, "precision");
  require_vector(state.weight_variance, by_budget, "weight_variance");
  require_vector(state.stiffness, by_budget, "stiffness");
  require_vector(state.site_precision, by_row, "table of sites");
  require_vector(state.site_shift, by_row, "table of sites");
  if (!std::isfinite(state.log_evidence) || state.since_refresh < 0)
    throw InvalidSpec("the state's counters are damaged");
}

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
      since_refresh_(start.since_refresh) {
  // A point is included before another one is deleted.
  const Index capacity = options.bounded() ? std::min(options.budget, kFirstCapacity) + 1 : 0;
  covariance_ = GrowingSymmetric(start.form, capacity);
  precision_ = GrowingSymmetric(start.precision, capacity);
  basis_ = std::move(start.basis);
  points_.resize(x.rows(), std::max(capacity, size()));
  for (Index j = 0; j < size(); ++j) points_.col(j) = x.col(basis_[j]);
  whitening_.setZero(std::max(capacity, size()), std::max(capacity, size()));
  whitening_.topLeftCorner(size(), size()) = start.whitening;
}

Vector OnlineMachine::unwhiten(VectorIn v) const {
  Vector out(size());
  gemv(1.0, whitening(), Op::transposed, v, 0.0, out);
  return out;
}

OnlineMachine::Marginal OnlineMachine::marginal(Index row, bool again) {
  const Index b = size();
  if (k_.size() < b)
    for (Vector* each : {&k_, &v_, &z_}) each->resize(2 * b);
  auto k = k_.head(b), v = v_.head(b), z = z_.head(b);
  Vector kappa(1);
  kernel_.diagonal(x_.col(row), kappa);
  Marginal f{kappa(0), kappa(0), 0.0, kappa(0)};
  if (b > 0) {
    kernel_.cross(points_.leftCols(b), x_.col(row), k);
    const auto held = again ? std::find(basis_.begin(), basis_.end(), row) : basis_.end();
    const bool own = held != basis_.end();  // a basis point has novelty 0
    if (own) k(held - basis_.begin()) = kappa(0);
    gemv(1.0, whitening(), Op::plain, k, 0.0, v);
    gemv(1.0, covariance_.block(), Op::plain, v, 0.0, z);
    f.novelty = own ? 0.0 : std::max(kappa(0) - v.squaredNorm(), 0.0);
    f.mean = v.dot(mean_);
    f.variance = std::max(f.novelty + v.dot(z), 0.0);
  }
  if (!std::isfinite(f.mean) || !std::isfinite(f.variance) || !(f.prior_variance >= 0.0))
    throw NumericalFailure("the kernel or its variance is not finite at row " +
                           std::to_string(row + 1));
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

void OnlineMachine::absorb(Index row, double y, double offset, double noise, bool again) {
  if (options_.forgets()) forget();
  const Marginal f = marginal(row, again);
  const Tilted tilted = likelihood_.tilted(y, f.mean + prior_mean_ + offset, f.variance + noise);
  if (!std::isfinite(tilted.d1) || !std::isfinite(tilted.d2))
    throw NumericalFailure("the likelihood has no moments at row " + std::to_string(row + 1));
  if (!again) log_evidence_ += tilted.log_z;
  if (f.novelty > std::max(options_.novelty, kLeastNovelty) * f.prior_variance) {
    include(row, f, tilted);
    if (options_.bounded() && size() > options_.budget) delete_one();
  } else {
    project(f, tilted);
  }
  if (++since_refresh_ >= std::max(kRefreshRows, size() / 2)) refresh();
}

// Inclusion, theory.md (6), (7) and (9): the row becomes a basis point.
void OnlineMachine::include(Index row, const Marginal& f, const Tilted& tilted) {
  const Index b = size();
  const auto v = v_.head(b), z = z_.head(b);
  const double root = std::sqrt(f.novelty);
  const Vector zero = Vector::Zero(b), e = unwhiten(v), own = extended(v, root);
  const Vector step = extended(z, root);
  if (tracks_information()) {
    const double site = -tilted.d2 / variance_ratio(tilted, f.variance);
    const Vector joint = e.cwiseAbs2() / f.novelty;
    weight_variance_ =
        extended(weight_variance_ + joint + tilted.d2 * (unwhiten(z) - e).cwiseAbs2(),
                 1.0 / f.novelty + tilted.d2);
    stiffness_ = extended(stiffness_ + joint, 1.0 / f.novelty + site);
    precision_.append(zero, 1.0);
    precision_.add_square(site, own);
  }
  mean_ = extended(mean_, 0.0) + tilted.d1 * step;
  covariance_.append(zero, 1.0);
  covariance_.add_square(tilted.d2, step);
  if (whitening_.rows() == b) {
    const Index bigger = std::max<Index>(64, 2 * b);
    whitening_.conservativeResize(bigger, bigger);
    points_.conservativeResize(Eigen::NoChange, bigger);
  }
  whitening_.row(b).head(b) = (-1.0 / root) * e.transpose();
  whitening_.col(b).head(b).setZero();
  whitening_(b, b) = 1.0 / root;
  points_.col(b) = x_.col(row);
  basis_.push_back(row);
}

// Projection, theory.md (8) and (9): the basis stays.
void OnlineMachine::project(const Marginal& f, const Tilted& tilted) {
  const Index b = size();
  if (b == 0) return;
  const auto v = v_.head(b), z = z_.head(b);
  mean_ += tilted.d1 * z;
  covariance_.add_square(tilted.d2, z);
  if (!tracks_information()) return;
  const double site = -tilted.d2 / variance_ratio(tilted, f.variance - f.novelty);
  weight_variance_ += tilted.d2 * unwhiten(z).cwiseAbs2();
  stiffness_ += site * unwhiten(v).cwiseAbs2();
  precision_.add_square(site, v);
}

// The basis point of the least score theory.md (10), (11) or (12). With g the variance of a weight,
// p the stiffness and q the diagonal of Q = W'W, the first two are twice the divergence that its
// removal costs.
Index OnlineMachine::least_informative() const {
  Vector norms(size());
  column_squared_norms(whitening(), norms);
  const Eigen::ArrayXd u = unwhiten(mean_), q = norms;
  // Exact values are positive.
  const Eigen::ArrayXd g = weight_variance_.array().max(kEpsilon * q);
  const Eigen::ArrayXd p = stiffness_.array().max(kEpsilon * q);
  Eigen::ArrayXd score;
  switch (options_.deletion) {
    case Deletion::reverse_kl:
      score = u.square() / g + p / q + (g / q).log();
      break;
    case Deletion::forward_kl:
      score = u.square() / q + g / q + (p / q).log();
      break;
    case Deletion::cheap:
      score = u.square() / g;
      break;
  }
  Index least = -1;
  for (Index j = 0; j < score.size(); ++j)  // of equal scores the oldest point
    if (!std::isnan(score(j)) && (least < 0 || score(j) < score(least))) least = j;
  if (least < 0) throw NumericalFailure("no basis point has a score that is a number");
  return least;
}

// Deletes the least informative basis point j. The values at the other points do not depend on the
// coordinate of w along column j of W: a reflection makes it the last one, which is then removed by
// theory.md (13) or (14).
void OnlineMachine::delete_one() {
  if (options_.forgets()) compute_information();
  const Index j = least_informative(), last = size() - 1;
  auto w = whitening_.topLeftCorner(size(), size());
  Vector h = w.col(j).normalized();
  h(last) += h(last) < 0.0 ? -1.0 : 1.0;
  const double beta = 2.0 / h.squaredNorm();
  const Eigen::Map<const Matrix> column(h.data(), h.size(), 1);
  const Vector image = unwhiten(h);
  gemm(-beta, column, Op::plain, Eigen::Map<const Matrix>(image.data(), image.size(), 1),
       Op::transposed, 1.0, w);
  mean_ -= (beta * h.dot(mean_)) * h;
  const auto reflect = [&](GrowingSymmetric& m) {
    Vector y(h.size());
    gemv(beta, m.block(), Op::plain, h, 0.0, y);
    m.subtract_product(h, y - (0.5 * beta * h.dot(y)) * h);
  };
  reflect(covariance_);
  reflect(precision_);

  const Vector s = covariance_.column(last), p = precision_.column(last);
  const Vector row = w.row(last), by_s = unwhiten(s), by_p = unwhiten(p);
  covariance_.remove(last);
  precision_.remove(last);
  const double m = mean_(last);
  mean_.conservativeResize(last);
  if (options_.deletion == Deletion::reverse_kl) {
    // Conditioned on the coordinate being 0, its prior mean.
    if (s(last) > 0.0) {
      mean_ -= (m / s(last)) * s.head(last);
      covariance_.add_square(-1.0 / s(last), s.head(last));
      weight_variance_ -= by_s.cwiseAbs2() / s(last);
    }
    stiffness_ += row.cwiseProduct(p(last) * row - 2.0 * by_p);
  } else {
    // The coordinate is integrated out.
    weight_variance_ += row.cwiseProduct(s(last) * row - 2.0 * by_s);
    stiffness_ -= by_p.cwiseAbs2() / p(last);
    precision_.add_square(-1.0 / p(last), p.head(last));
  }
  weight_variance_ = without(weight_variance_, j);
  stiffness_ = without(stiffness_, j);
  basis_.erase(basis_.begin() + j);
  for (Index i = j; i < last; ++i) {
    points_.col(i) = points_.col(i + 1);
    whitening_.col(i).head(last) = whitening_.col(i + 1).head(last);
  }
}

// W becomes the inverse of the Cholesky factor of K_BB, and m, S and P are rotated to it. The time
// of a refresh depends on the rows absorbed, never on how they were split between calls.
void OnlineMachine::refresh() {
  since_refresh_ = 0;
  const Index b = size();
  if (b == 0) return;
  Matrix factor(b, b);
  kernel_.gram(points_.leftCols(b), factor);
  cholesky_with_jitter(factor, 0.0);
  Matrix rotation(b, b), half(b, b), rotated(b, b);  // rotation = W L is orthogonal up to rounding
  gemm(1.0, whitening(), Op::plain, factor, Op::plain, 0.0, rotation);
  const auto rotate = [&](GrowingSymmetric& m) {
    gemm(1.0, m.block(), Op::plain, rotation, Op::plain, 0.0, half);
    gemm(1.0, rotation, Op::transposed, half, Op::plain, 0.0, rotated);
    symmetrise_from_lower(rotated);
    m.assign(rotated);
  };
  rotate(covariance_);
  const Vector mean = mean_;
  gemv(1.0, rotation, Op::transposed, mean, 0.0, mean_);
  if (tracks_information()) rotate(precision_);
  Matrix& inverse = rotation;  // its memory is used again
  inverse.setIdentity();
  trsm(Side::left, Triangle::lower, Op::plain, factor, inverse);
  whitening_.topLeftCorner(b, b) = inverse;
  if (!tracks_information()) return;
  gemm(1.0, covariance_.block(), Op::plain, inverse, Op::plain, 0.0, half);
  column_dots(inverse, half, weight_variance_);
  gemm(1.0, precision_.block(), Op::plain, inverse, Op::plain, 0.0, half);
  column_dots(inverse, half, stiffness_);
}

OnlineState OnlineMachine::state() {
  if (options_.bounded() && options_.forgets()) compute_information();
  OnlineState state;
  state.basis = basis_;
  state.weights = unwhiten(mean_);
  state.form = covariance_.block();
  state.whitening = whitening();
  state.mean = mean_;
  state.precision = precision_.block();
  state.weight_variance = weight_variance_;
  state.stiffness = stiffness_;
  state.log_evidence = log_evidence_;
  state.since_refresh = since_refresh_;
  return state;
}

}  // namespace gpsieve
