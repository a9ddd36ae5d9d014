// The basis of a machine: the rows of W, deletion, and W computed again.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/large_pages.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "math/constants.h"
#include "models/online/another_kernel.h"
#include "models/online/machine.h"

namespace gpsieve {

// For one more basis point, in W and beside it.
void OnlineMachine::make_room() {
  if (whitening_.rows() > size()) return;
  const Index bigger = std::max<Index>(64, 2 * size());
  Matrix grown = large_matrix(bigger, bigger);
  grown.topLeftCorner(size(), size()) = whitening();
  whitening_.swap(grown);
  points_.conservativeResize(Eigen::NoChange, bigger);
}

// gamma^-1/2 (-e', 1) with e = W'v
void OnlineMachine::add_whitening_row(VectorIn e, double root) {
  const Index b = whitened_++;
  whitening_.row(b).head(b) = (-1.0 / root) * e.transpose();
  whitening_.col(b).head(b).setZero();
  whitening_(b, b) = 1.0 / root;
}

// The rows of W that are missing, theory.md (27). A row has the same bits whether it is computed
// with others or alone.
void OnlineMachine::complete_whitening() {
  const Index b0 = start(), first = whitened_ - b0, n = size() - whitened_;
  if (n == 0) return;
  Matrix e = Matrix::Zero(size(), n);
  if (b0 > 0) {
    Matrix by_start(b0, n);
    for (Index j = 0; j < n; ++j) by_start.col(j) = block_.own(first + j, b0);
    trmm(Side::left, Triangle::lower, Op::transposed, whitening_.topLeftCorner(b0, b0), by_start);
    e.topRows(b0) = by_start;
  }
  for (Index j = 0; j < n; ++j) {
    const Index i = whitened_, later = i - b0;
    const auto own = block_.own(first + j, i + 1);
    if (later > 0)
      gemv(1.0, whitening_.block(b0, 0, later, i), Op::transposed, own.segment(b0, later), 1.0,
           e.col(j).head(i));
    add_whitening_row(e.col(j).head(i), own(i));
  }
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
  whitened_ = last;
  refreshed_ = 0;
  triangular_ = false;
  for (Index i = j; i < last; ++i) {
    points_.col(i) = points_.col(i + 1);
    whitening_.col(i).head(last) = whitening_.col(i + 1).head(last);
  }
}

// The time of a refresh depends on the rows absorbed, never on how they were split between calls.
void OnlineMachine::refresh() {
  since_refresh_ = 0;
  if (size() == 0) return;
  if (refreshed_ != size()) whiten_anew();
  refreshed_ = size();
  if (tracks_information()) compute_diagonals();
}

// W becomes the inverse of the Cholesky factor of K_BB, and m, S and P are rotated to it.
void OnlineMachine::whiten_anew() {
  const Index b = size();
  Matrix factor(b, b);
  kernel_.gram(points_.leftCols(b), factor);
  cholesky_with_jitter(factor, 0.0);
  Matrix rotation(b, b), half(b, b), rotated(b, b);  // rotation = W L is orthogonal up to rounding
  if (triangular_) {
    rotation = factor;
    trmm(Side::left, Triangle::lower, Op::plain, whitening(), rotation);
  } else {
    gemm(1.0, whitening(), Op::plain, factor, Op::plain, 0.0, rotation);
  }
  const auto rotate = [&](GrowingSymmetric& m) {
    if (triangular_) {
      rotated = m.block();
      trmm(Side::right, Triangle::lower, Op::plain, rotation, rotated);
      trmm(Side::left, Triangle::lower, Op::transposed, rotation, rotated);
    } else {
      gemm(1.0, m.block(), Op::plain, rotation, Op::plain, 0.0, half);
      gemm(1.0, rotation, Op::transposed, half, Op::plain, 0.0, rotated);
    }
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
  triangular_ = true;
}

void OnlineMachine::compute_diagonals() {
  const Index b = size();
  Matrix half(b, b);
  gemm(1.0, covariance_.block(), Op::plain, whitening(), Op::plain, 0.0, half);
  column_dots(whitening(), half, weight_variance_);
  gemm(1.0, precision_.block(), Op::plain, whitening(), Op::plain, 0.0, half);
  column_dots(whitening(), half, stiffness_);
}

}  // namespace gpsieve
