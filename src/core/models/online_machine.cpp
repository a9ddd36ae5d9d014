#include "models/online_machine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

// Below this share of the prior variance a novelty is the rounding of Q k.
constexpr double kLeastNovelty = 1e-10;
// 1 + d2 var is what the row leaves of the variance; less than this is rounding.
constexpr double kLeastRoom = 1e-15;
// Budgets up to this never reallocate.
constexpr Index kRoomAtFirst = 255;
// Q is computed afresh after so many rows, or a quarter as many as there are basis points.
constexpr Index kRefreshRows = 16;

double room(const Tilted& tilted, double variance) {
  return std::max(1.0 + tilted.d2 * variance, kLeastRoom);
}

void require_square(const Matrix& m, Index size, const char* name) {
  if (m.rows() != size || m.cols() != size || !m.allFinite())
    throw InvalidSpec(std::string("the state's ") + name + " is damaged");
}

void require_vector(const Vector& v, Index size, const char* name) {
  if (v.size() != size || !v.allFinite())
    throw InvalidSpec(std::string("the state's ") + name + " are damaged");
}

// A state may come from a file: nothing in it is taken on trust.
void require_whole(const OnlineState& state, const OnlineOptions& options, Index points) {
  const Index size = static_cast<Index>(state.basis.size());
  for (const Index i : state.basis)
    if (i < 0 || i >= points) throw InvalidSpec("the state refers to a point it does not have");
  if (options.bounded() && size > options.budget)
    throw InvalidSpec("the state has more basis points than the budget");
  require_vector(state.weights, size, "weights");
  require_square(state.form, size, "covariance");
  require_square(state.inverse_gram, options.keeps_rows() ? 0 : size, "inverse kernel matrix");
  require_square(state.precision, options.bounded() ? size : 0, "precision");
  require_vector(state.site_precision, options.keeps_rows() ? size : 0, "sites");
  require_vector(state.site_shift, options.keeps_rows() ? size : 0, "sites");
  if (!std::isfinite(state.log_evidence) || state.since_refresh < 0)
    throw InvalidSpec("the state's counters are damaged");
  if (!(state.inverse_gram.diagonal().array() > 0.0).all())
    throw InvalidSpec("the state's inverse kernel matrix is not positive definite");
}

}  // namespace

OnlineMachine::OnlineMachine(const Kernel& kernel, const Likelihood& likelihood, Points x,
                             double prior_mean, const OnlineOptions& options, OnlineState start)
    : kernel_(kernel),
      likelihood_(likelihood),
      x_(x),
      prior_mean_(prior_mean),
      options_(options),
      log_evidence_(start.log_evidence),
      since_refresh_(start.since_refresh) {
  require_whole(start, options, x.cols());
  // A point enters before another leaves. Larger budgets grow into their buffers.
  const Index room = options.bounded() ? std::min(options.budget, kRoomAtFirst) + 1 : 0;
  form_ = GrowingSymmetric(start.form, room);
  inverse_gram_ = GrowingSymmetric(start.inverse_gram, options.keeps_rows() ? 0 : room);
  precision_ = GrowingSymmetric(start.precision, room);
  basis_ = std::move(start.basis);
  points_.resize(x.rows(), std::max(room, size()));
  for (Index j = 0; j < size(); ++j) points_.col(j) = x.col(basis_[j]);
  weights_ = std::move(start.weights);
  const auto copy = [](const Vector& v) { return std::vector<double>(v.data(), v.data() + v.size()); };
  site_precision_ = copy(start.site_precision);
  site_shift_ = copy(start.site_shift);
}

OnlineMachine::View OnlineMachine::look(Index row, bool again) {
  const Index b = size();
  const auto point = x_.col(row);
  if (k_.size() < b + 1) {
    for (Vector* each : {&k_, &h_, &e_}) each->resize(2 * (b + 1));
  }
  auto k = k_.head(b), h = h_.head(b), e = e_.head(b);
  Vector kappa(1);
  kernel_.diagonal(point, kappa);
  Index slot = b;
  if (b > 0) {
    kernel_.cross(points_.leftCols(b), point, k);
    if (again) slot = std::find(basis_.begin(), basis_.end(), row) - basis_.begin();
    if (slot < b) k(slot) = kappa(0);
    gemv(1.0, form_.block(), Op::plain, k, 0.0, h);
  }
  View view;
  view.kappa = kappa(0);
  view.mean = k.dot(weights_);
  view.variance = std::max(kappa(0) + k.dot(h), 0.0);
  view.novelty = kappa(0);
  if (!std::isfinite(view.mean) || !std::isfinite(view.variance) || !(kappa(0) >= 0.0))
    throw NumericalFailure("the kernel or its variance is not finite at row " +
                           std::to_string(row + 1));
  if (options_.keeps_rows()) return view;
  if (slot < b) {  // the basis explains its own points, whatever rounding says
    e.setZero();
    e(slot) = 1.0;
    view.novelty = 0.0;
  } else if (b > 0) {
    gemv(1.0, inverse_gram_.block(), Op::plain, k, 0.0, e);
    view.novelty = std::max(kappa(0) - k.dot(e), 0.0);
  }
  return view;
}

void OnlineMachine::absorb(Index row, double y, bool again) {
  const View view = look(row, again);
  const Tilted tilted = likelihood_.tilted(y, view.mean + prior_mean_, view.variance);
  if (!std::isfinite(tilted.d1) || !std::isfinite(tilted.d2))
    throw NumericalFailure("the likelihood has no moments at row " + std::to_string(row + 1));
  if (!again) log_evidence_ += tilted.log_z;
  const double least = std::max(options_.novelty, kLeastNovelty) * view.kappa;
  if (options_.keeps_rows() || view.novelty > least) {
    include(row, view, tilted);
    if (options_.bounded() && size() > options_.budget) remove_least();
  } else {
    project(view, tilted);
  }
  ++since_refresh_;
  if (!options_.keeps_rows() && since_refresh_ >= std::max(kRefreshRows, size() / 4)) refresh();
}

// The row becomes a basis point: exact moment matching, s = (C k; 1).
void OnlineMachine::include(Index row, const View& view, const Tilted& tilted) {
  const Index b = size();
  if (points_.cols() == b) points_.conservativeResize(Eigen::NoChange, std::max<Index>(64, 2 * b));
  points_.col(b) = x_.col(row);
  basis_.push_back(row);
  auto s = h_.head(b + 1);
  s(b) = 1.0;
  weights_.conservativeResize(b + 1);
  weights_(b) = 0.0;
  weights_ += tilted.d1 * s;
  form_.append();
  form_.add_square(tilted.d2, s);
  const double site = -tilted.d2 / room(tilted, view.variance);
  if (options_.keeps_rows()) {
    site_precision_.push_back(site);
    site_shift_.push_back(tilted.d1 / room(tilted, view.variance) + view.mean * site);
    return;
  }
  auto e = e_.head(b + 1);
  e(b) = -1.0;
  inverse_gram_.append();
  inverse_gram_.add_square(1.0 / view.novelty, e);
  if (options_.bounded()) precision_.append(site);
}

// The basis stays: moments of f_B matched exactly, s = C k + Q k.
void OnlineMachine::project(const View& view, const Tilted& tilted) {
  const Index b = size();
  if (b == 0) return;
  const auto e = e_.head(b);
  const Vector s = h_.head(b) + e;
  weights_ += tilted.d1 * s;
  form_.add_square(tilted.d2, s);
  if (options_.bounded())
    precision_.add_square(-tilted.d2 / room(tilted, view.variance - view.novelty), e);
}

// Twice the divergence that the removal of each basis point costs, or the cheap stand-in for it.
Index OnlineMachine::least_informative() const {
  const auto u = weights_.array();
  const Eigen::ArrayXd q = inverse_gram_.diagonal(), c = form_.diagonal(),
                       a = precision_.diagonal();
  // q + c is the diagonal of Q P^-1 Q, positive but for rounding.
  const Eigen::ArrayXd left = (q + c).max(std::numeric_limits<double>::epsilon() * q);
  Eigen::ArrayXd score;
  switch (options_.deletion) {
    case Deletion::reverse_kl:
      score = u.square() / left + a / q + (left / q).log();
      break;
    case Deletion::forward_kl:
      score = u.square() / q + c / q + (a / q).log1p();
      break;
    case Deletion::cheap:
      score = u.square() / left;
      break;
  }
  if (!score.isFinite().all())
    throw NumericalFailure("the score of a basis point is not finite");
  Index j = 0;
  score.minCoeff(&j);  // the first of equals: the point that has been there longest
  return j;
}

void OnlineMachine::remove_least() {
  const Index j = least_informative();
  const Vector q_star = without(inverse_gram_.column(j), j), c_star = without(form_.column(j), j),
               a_star = without(precision_.column(j), j);
  const double q = inverse_gram_.diagonal()(j), c = form_.diagonal()(j),
               a = precision_.diagonal()(j), u = weights_(j);
  form_.remove(j);
  inverse_gram_.remove(j);
  precision_.remove(j);
  weights_ = without(weights_, j);
  basis_.erase(basis_.begin() + j);
  for (Index i = j; i < size(); ++i) points_.col(i) = points_.col(i + 1);

  const Vector x = q_star / q;
  if (options_.deletion == Deletion::reverse_kl) {
    const double left = std::max(q + c, std::numeric_limits<double>::epsilon() * q);
    const Vector w = q_star + c_star;
    weights_ -= (u / left) * w;
    form_.add_square(1.0 / q, q_star);
    form_.add_square(-1.0 / left, w);
    precision_.subtract_product(x, a_star - (0.5 * a) * x);
  } else {
    const Vector p_star = q_star + a_star;
    weights_ -= u * x;
    form_.subtract_product(x, c_star - (0.5 * c) * x);
    precision_.add_square(1.0 / q, q_star);
    precision_.add_square(-1.0 / (q + a), p_star);
  }
  inverse_gram_.add_square(-1.0 / q, q_star);
}

// Q from a Cholesky factor of K_BB. When depends on the rows absorbed, never on how they were split
// between calls.
void OnlineMachine::refresh() {
  since_refresh_ = 0;
  const Index b = size();
  if (b == 0) return;
  Matrix factor(b, b);
  kernel_.gram(points_.leftCols(b), factor);
  cholesky_with_jitter(factor, 0.0);
  Matrix inverse = Matrix::Identity(b, b);
  trsm(Side::left, Triangle::lower, Op::plain, factor, inverse);
  Matrix fresh(b, b);
  syrk(1.0, inverse, Op::transposed, 0.0, fresh);
  symmetrise_from_lower(fresh);
  inverse_gram_.assign(fresh);
}

OnlineState OnlineMachine::state() const {
  const auto vector = [](const std::vector<double>& v) -> Vector {
    return Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size()));
  };
  return {basis_,
          weights_,
          form_.block(),
          inverse_gram_.block(),
          precision_.block(),
          vector(site_precision_),
          vector(site_shift_),
          log_evidence_,
          since_refresh_};
}

}  // namespace gpsieve
