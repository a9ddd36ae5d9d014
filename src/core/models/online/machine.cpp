#include "models/online/machine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

// Entries of W reach the root of the reciprocal of the least novelty; a novelty below this is the
// rounding of |W k|^2.
constexpr double kLeastNovelty = 1e-8;
// 1 + d2 var is what the row leaves of the variance; less than this is rounding.
constexpr double kLeastRoom = 1e-15;
constexpr double kRounding = std::numeric_limits<double>::epsilon();
// Budgets up to this never reallocate.
constexpr Index kRoomAtFirst = 255;
// W is computed afresh after so many rows, or half as many as there are basis points.
constexpr Index kRefreshRows = 32;

double room(const Tilted& tilted, double variance) {
  return std::max(1.0 + tilted.d2 * variance, kLeastRoom);
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

void require_whole(const OnlineState& state, const OnlineOptions& options, Index points) {
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
  require_vector(state.leverage, by_budget, "leverage");
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
      leverage_(std::move(start.leverage)),
      stiffness_(std::move(start.stiffness)),
      log_evidence_(start.log_evidence),
      since_refresh_(start.since_refresh) {
  // A point enters before another leaves. Larger budgets grow into their buffers.
  const Index room = options.bounded() ? std::min(options.budget, kRoomAtFirst) + 1 : 0;
  covariance_ = GrowingSymmetric(start.form, room);
  precision_ = GrowingSymmetric(start.precision, room);
  basis_ = std::move(start.basis);
  points_.resize(x.rows(), std::max(room, size()));
  for (Index j = 0; j < size(); ++j) points_.col(j) = x.col(basis_[j]);
  whitening_.setZero(std::max(room, size()), std::max(room, size()));
  whitening_.topLeftCorner(size(), size()) = start.whitening;
}

Vector OnlineMachine::back(VectorIn v) const {
  Vector out(size());
  gemv(1.0, whitening(), Op::transposed, v, 0.0, out);
  return out;
}

OnlineMachine::View OnlineMachine::look(Index row, bool again) {
  const Index b = size();
  if (k_.size() < b)
    for (Vector* each : {&k_, &v_, &z_}) each->resize(2 * b);
  auto k = k_.head(b), v = v_.head(b), z = z_.head(b);
  Vector kappa(1);
  kernel_.diagonal(x_.col(row), kappa);
  View view{kappa(0), kappa(0), 0.0, kappa(0)};
  if (b > 0) {
    kernel_.cross(points_.leftCols(b), x_.col(row), k);
    const auto held = again ? std::find(basis_.begin(), basis_.end(), row) : basis_.end();
    const bool own = held != basis_.end();  // the basis explains its own points
    if (own) k(held - basis_.begin()) = kappa(0);
    gemv(1.0, whitening(), Op::plain, k, 0.0, v);
    gemv(1.0, covariance_.block(), Op::plain, v, 0.0, z);
    view.novelty = own ? 0.0 : std::max(kappa(0) - v.squaredNorm(), 0.0);
    view.mean = v.dot(mean_);
    view.variance = std::max(view.novelty + v.dot(z), 0.0);
  }
  if (!std::isfinite(view.mean) || !std::isfinite(view.variance) || !(view.kappa >= 0.0))
    throw NumericalFailure("the kernel or its variance is not finite at row " +
                           std::to_string(row + 1));
  return view;
}

void OnlineMachine::absorb(Index row, double y, bool again) {
  const View view = look(row, again);
  const Tilted tilted = likelihood_.tilted(y, view.mean + prior_mean_, view.variance);
  if (!std::isfinite(tilted.d1) || !std::isfinite(tilted.d2))
    throw NumericalFailure("the likelihood has no moments at row " + std::to_string(row + 1));
  if (!again) log_evidence_ += tilted.log_z;
  if (view.novelty > std::max(options_.novelty, kLeastNovelty) * view.kappa) {
    include(row, view, tilted);
    if (options_.bounded() && size() > options_.budget) remove_least();
  } else {
    project(view, tilted);
  }
  if (++since_refresh_ >= std::max(kRefreshRows, size() / 2)) refresh();
}

// The row becomes a basis point, f(x) = v'w + root w_new with root^2 its novelty, and the moments
// of f(x) are matched.
void OnlineMachine::include(Index row, const View& view, const Tilted& tilted) {
  const Index b = size();
  const auto v = v_.head(b), z = z_.head(b);
  const double root = std::sqrt(view.novelty);
  const Vector nothing = Vector::Zero(b), e = back(v), own = extended(v, root);
  const Vector step = extended(z, root);
  if (options_.bounded()) {
    const double site = -tilted.d2 / room(tilted, view.variance);
    const Vector joint = e.cwiseAbs2() / view.novelty;
    leverage_ = extended(leverage_ + joint + tilted.d2 * (back(z) - e).cwiseAbs2(),
                         1.0 / view.novelty + tilted.d2);
    stiffness_ = extended(stiffness_ + joint, 1.0 / view.novelty + site);
    precision_.append(nothing, 1.0);
    precision_.add_square(site, own);
  }
  mean_ = extended(mean_, 0.0) + tilted.d1 * step;
  covariance_.append(nothing, 1.0);
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

// The basis stays; what the row says about v'w is matched exactly.
void OnlineMachine::project(const View& view, const Tilted& tilted) {
  const Index b = size();
  if (b == 0) return;
  const auto v = v_.head(b), z = z_.head(b);
  mean_ += tilted.d1 * z;
  covariance_.add_square(tilted.d2, z);
  if (!options_.bounded()) return;
  const double site = -tilted.d2 / room(tilted, view.variance - view.novelty);
  leverage_ += tilted.d2 * back(z).cwiseAbs2();
  stiffness_ += site * back(v).cwiseAbs2();
  precision_.add_square(site, v);
}

// Twice the divergence that the removal of each basis point costs, or the cheap stand-in for it:
// section 6 with q + c the leverage and q + a the stiffness.
Index OnlineMachine::least_informative() const {
  Vector norms(size());
  column_squared_norms(whitening(), norms);
  const Eigen::ArrayXd u = back(mean_), q = norms;
  // Both positive but for rounding.
  const Eigen::ArrayXd g = leverage_.array().max(kRounding * q);
  const Eigen::ArrayXd p = stiffness_.array().max(kRounding * q);
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
  for (Index j = 0; j < score.size(); ++j)  // the first of equals: the point that came first
    if (!std::isnan(score(j)) && (least < 0 || score(j) < score(least))) least = j;
  if (least < 0) throw NumericalFailure("no basis point has a score that is a number");
  return least;
}

// The other points do not depend on the coordinate of w along column j of W: a reflection makes it
// the last one, and then it goes.
void OnlineMachine::remove_least() {
  const Index j = least_informative(), last = size() - 1;
  auto w = whitening_.topLeftCorner(size(), size());
  Vector h = w.col(j).normalized();
  h(last) += h(last) < 0.0 ? -1.0 : 1.0;
  const double beta = 2.0 / h.squaredNorm();
  const Eigen::Map<const Matrix> column(h.data(), h.size(), 1);
  const Vector image = back(h);
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
  const Vector hung = w.row(last), by_s = back(s), by_p = back(p);
  covariance_.remove(last);
  precision_.remove(last);
  const double m = mean_(last);
  mean_.conservativeResize(last);
  if (options_.deletion == Deletion::reverse_kl) {
    // KL(after || before) is least for the posterior given that the coordinate is 0, as the prior
    // expects.
    if (s(last) > 0.0) {
      mean_ -= (m / s(last)) * s.head(last);
      covariance_.add_square(-1.0 / s(last), s.head(last));
      leverage_ -= by_s.cwiseAbs2() / s(last);
    }
    stiffness_ += hung.cwiseProduct(p(last) * hung - 2.0 * by_p);
  } else {
    // KL(before || after) is least for the posterior with the coordinate integrated out.
    leverage_ += hung.cwiseProduct(s(last) * hung - 2.0 * by_s);
    stiffness_ -= by_p.cwiseAbs2() / p(last);
    precision_.add_square(-1.0 / p(last), p.head(last));
  }
  leverage_ = without(leverage_, j);
  stiffness_ = without(stiffness_, j);
  basis_.erase(basis_.begin() + j);
  for (Index i = j; i < last; ++i) {
    points_.col(i) = points_.col(i + 1);
    whitening_.col(i).head(last) = whitening_.col(i + 1).head(last);
  }
}

// W as the inverse of the Cholesky factor of K_BB, and everything else turned to it. When depends
// on the rows absorbed, never on how they were split between calls.
void OnlineMachine::refresh() {
  since_refresh_ = 0;
  const Index b = size();
  if (b == 0) return;
  Matrix factor(b, b);
  kernel_.gram(points_.leftCols(b), factor);
  cholesky_with_jitter(factor, 0.0);
  Matrix turn(b, b), half(b, b), turned(b, b);  // turn = W L: orthogonal but for rounding
  gemm(1.0, whitening(), Op::plain, factor, Op::plain, 0.0, turn);
  const auto rotate = [&](GrowingSymmetric& m) {
    gemm(1.0, m.block(), Op::plain, turn, Op::plain, 0.0, half);
    gemm(1.0, turn, Op::transposed, half, Op::plain, 0.0, turned);
    symmetrise_from_lower(turned);
    m.assign(turned);
  };
  rotate(covariance_);
  const Vector mean = mean_;
  gemv(1.0, turn, Op::transposed, mean, 0.0, mean_);
  if (options_.bounded()) rotate(precision_);
  turn.setIdentity();
  trsm(Side::left, Triangle::lower, Op::plain, factor, turn);
  whitening_.topLeftCorner(b, b) = turn;
  if (!options_.bounded()) return;
  gemm(1.0, covariance_.block(), Op::plain, turn, Op::plain, 0.0, half);
  column_dots(turn, half, leverage_);
  gemm(1.0, precision_.block(), Op::plain, turn, Op::plain, 0.0, half);
  column_dots(turn, half, stiffness_);
}

OnlineState OnlineMachine::state() const {
  OnlineState state;
  state.basis = basis_;
  state.weights = back(mean_);
  state.form = covariance_.block();
  state.whitening = whitening();
  state.mean = mean_;
  state.precision = precision_.block();
  state.leverage = leverage_;
  state.stiffness = stiffness_;
  state.log_evidence = log_evidence_;
  state.since_refresh = since_refresh_;
  return state;
}

}  // namespace gpsieve
