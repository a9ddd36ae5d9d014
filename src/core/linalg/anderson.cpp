#include "linalg/anderson.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr double kDamping = 0.5;
// Relative pivot below which a residual difference counts as a combination of the others.
constexpr double kRankTolerance = 1e-8;

// The coefficients c for which |target - columns c| is least, by modified Gram-Schmidt with column
// pivoting: Q R = columns P, R c = Q' target. Columns that are combinations of others get 0.
Vector least_squares(Matrix columns, Vector target) {
  const Index n = columns.cols();
  Matrix r = Matrix::Zero(n, n);
  Vector projection(n), norms(n), coefficients = Vector::Zero(n);
  Indices order(n);
  std::iota(order.begin(), order.end(), Index{0});
  Index rank = 0;
  for (; rank < n; ++rank) {
    Index pivot = rank;
    column_squared_norms(columns, norms);
    for (Index j = rank + 1; j < n; ++j)
      if (norms[j] > norms[pivot]) pivot = j;
    columns.col(rank).swap(columns.col(pivot));
    r.col(rank).swap(r.col(pivot));
    std::swap(order[rank], order[pivot]);
    r(rank, rank) = std::sqrt(norms[pivot]);
    if (!(r(rank, rank) > kRankTolerance * r(0, 0))) break;
    auto q = columns.col(rank);
    q /= r(rank, rank);
    for (Index j = rank + 1; j < n; ++j) {
      r(rank, j) = q.dot(columns.col(j));
      columns.col(j) -= r(rank, j) * q;
    }
    projection[rank] = q.dot(target);
    target -= projection[rank] * q;
  }
  for (Index i = rank - 1; i >= 0; --i) {
    double rest = projection[i];
    for (Index j = i + 1; j < rank; ++j) rest -= r(i, j) * coefficients[order[j]];
    coefficients[order[i]] = rest / r(i, i);
  }
  return coefficients;
}

}  // namespace

Vector AndersonMixing::next(VectorIn x, VectorIn residual) {
  const double norm = residual.norm();
  const bool first = last_iterate_.size() == 0, grown = !first && !(norm < last_norm_);
  if (first) {
    iterate_differences_.resize(x.size(), depth_);
    residual_differences_.resize(x.size(), depth_);
  } else if (grown) {
    count_ = slot_ = 0;
  } else {
    iterate_differences_.col(slot_) = x - last_iterate_;
    residual_differences_.col(slot_) = residual - last_residual_;
    slot_ = (slot_ + 1) % depth_;
    count_ = std::min(count_ + 1, depth_);
  }
  last_iterate_ = x;
  last_residual_ = residual;
  last_norm_ = norm;
  Vector out = x + (grown ? kDamping : 1.0) * residual;
  if (count_ > 0) {
    const Vector coefficients = least_squares(residual_differences_.leftCols(count_), residual);
    gemv(-1.0, iterate_differences_.leftCols(count_), Op::plain, coefficients, 1.0, out);
    gemv(-1.0, residual_differences_.leftCols(count_), Op::plain, coefficients, 1.0, out);
  }
  return out;
}

}  // namespace gpsieve
