#include "kernel/scaled_pairs.h"

#include <cmath>

#include "linalg/products.h"

namespace gpsieve {
namespace {

// A distance that is this small a part of |x|^2 + |z|^2 has lost four of sixteen digits.
constexpr double kNear = 1e-4;

Matrix centre_and_scale(Points points, const Vector& centre, const Vector& lengthscale) {
  Matrix scaled = points.colwise() - centre;
  if (lengthscale.size() == 1) {
    scaled /= lengthscale[0];
  } else {
    scaled.array().colwise() /= lengthscale.array();
  }
  return scaled;
}

// Points whose squared norm overflows take no part in products: all their pairs count as near.
Vector finite_squared_norms(Matrix& scaled) {
  Vector norms(scaled.cols());
  column_squared_norms(scaled, norms);
  for (Index j = 0; j < norms.size(); ++j) {
    if (std::isfinite(norms[j])) continue;
    scaled.col(j).setZero();
    norms[j] = HUGE_VAL;
  }
  return norms;
}

}  // namespace

Vector centre_of(Points points) {
  if (points.cols() == 0) return Vector::Zero(points.rows());
  const Vector mean = points.rowwise().mean();
  return mean.unaryExpr([](double m) { return std::isfinite(m) ? m : 0.0; });
}

ScaledPairs::ScaledPairs(Points a, Points b, VectorIn lengthscale)
    : a_(a), b_(b), lengthscale_(lengthscale) {
  const Vector centre = centre_of(a);
  scaled_a_ = centre_and_scale(a, centre, lengthscale_);
  scaled_b_ = centre_and_scale(b, centre, lengthscale_);
  norm_a_ = finite_squared_norms(scaled_a_);
  norm_b_ = finite_squared_norms(scaled_b_);
}

bool ScaledPairs::is_near(Index i, Index j, double r2) const {
  return !(r2 > kNear * (norm_a_[i] + norm_b_[j]));  // also where the norms are infinite
}

double ScaledPairs::squared_distance(Index i, Index j) const {
  double sum = 0.0;
  for (Index d = 0; d < a_.rows(); ++d) {
    const double step = difference(d, i, j);
    sum += step * step;
  }
  return sum;
}

void ScaledPairs::squared_distances(MatrixOut r2) const {
  if (r2.size() == 0) return;
  gemm(-2.0, scaled_a_, Op::transposed, scaled_b_, Op::plain, 0.0, r2);
  for (Index j = 0; j < r2.cols(); ++j) {
    auto column = r2.col(j).array();
    column += norm_a_.array() + norm_b_[j];
    if ((column > kNear * (norm_a_.array() + norm_b_[j])).all()) continue;
    for (Index i = 0; i < r2.rows(); ++i)
      if (is_near(i, j, r2(i, j))) r2(i, j) = squared_distance(i, j);
  }
}

template <class Visit>
void ScaledPairs::take_near(MatrixIn r2, MatrixOut h, const Visit& visit) const {
  for (Index j = 0; j < r2.cols(); ++j)
    for (Index i = 0; i < r2.rows(); ++i) {
      if (!is_near(i, j, r2(i, j))) continue;
      if (h(i, j) != 0.0) visit(i, j, h(i, j));  // 0 also where the distance is infinite
      h(i, j) = 0.0;
    }
}

void ScaledPairs::add_squares(MatrixIn r2, MatrixOut h, VectorOut out) const {
  if (r2.size() == 0) return;
  take_near(r2, h, [&](Index i, Index j, double weight) {
    for (Index d = 0; d < out.size(); ++d) {
      const double step = difference(d, i, j);
      out[d] += weight * step * step;
    }
  });
  const Vector of_a = h.rowwise().sum(), of_b = h.colwise().sum().transpose();
  Matrix product(out.size(), h.cols());
  gemm(1.0, scaled_a_, Op::plain, h, Op::plain, 0.0, product);
  for (Index d = 0; d < out.size(); ++d)
    out[d] += (scaled_a_.row(d).array().square() * of_a.transpose().array()).sum() +
              (scaled_b_.row(d).array().square() * of_b.transpose().array()).sum() -
              2.0 * (product.row(d).array() * scaled_b_.row(d).array()).sum();
}

void ScaledPairs::add_differences(MatrixIn r2, MatrixOut h, MatrixOut out) const {
  if (r2.size() == 0) return;
  take_near(r2, h, [&](Index i, Index j, double weight) {
    for (Index d = 0; d < out.rows(); ++d)
      out(d, j) += weight * difference(d, i, j) / lengthscale(d);
  });
  Matrix product(out.rows(), h.cols());
  gemm(1.0, scaled_a_, Op::plain, h, Op::plain, 0.0, product);
  for (Index j = 0; j < h.cols(); ++j) {
    const double total = h.col(j).sum();
    for (Index d = 0; d < out.rows(); ++d)
      out(d, j) += (total * scaled_b_(d, j) - product(d, j)) / lengthscale(d);
  }
}

}  // namespace gpsieve
