#include "models/rvm/span.h"

#include <algorithm>

#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr Index kInitialCapacity = 32;
// A column whose part outside the span is smaller, relative to the column, adds no dimension.
constexpr double kOutside = 1e-15;
// Gram-Schmidt twice is orthogonal to working precision.
constexpr int kRounds = 2;
// Q may have a quarter more columns than P, and these, before it is forgotten.
constexpr Index kSpare = 4;

// Room for at least so many rows and columns; the new ones are zeros.
void grow(Matrix& a, Index rows, Index cols) {
  if (a.rows() >= rows && a.cols() >= cols) return;
  const Index wide = std::max({cols, 2 * a.cols(), kInitialCapacity});
  Matrix grown = Matrix::Zero(std::max(rows, a.rows()), wide);
  grown.topLeftCorner(a.rows(), a.cols()) = a;
  a.swap(grown);
}

}  // namespace

void RvmSpan::fill(MatrixIn p, int threads) {
  forget();
  for (Index j = 0; j < p.cols(); ++j) push(p.col(j), threads);
}

void RvmSpan::push(VectorIn column, int threads) {
  grow(basis_, column.size(), dimension_ + 1);
  grow(coordinates_, basis_.cols(), size_ + 1);
  Vector outside = column;
  auto inside = coordinates_.col(size_);
  inside.setZero();
  if (dimension_ > 0) {
    const auto q = basis_.leftCols(dimension_);
    Vector part(dimension_);
    for (int round = 0; round < kRounds; ++round) {
      gemv(1.0, q, Op::transposed, outside, 0.0, part, threads);
      gemv(-1.0, q, Op::plain, part, 1.0, outside, threads);
      inside.head(dimension_) += part;
    }
  }
  const double size = outside.norm();
  if (size > kOutside * column.norm() && dimension_ < column.size()) {
    basis_.col(dimension_) = outside / size;
    inside(dimension_) = size;
    ++dimension_;
  }
  ++size_;
}

void RvmSpan::keep(const Indices& positions) {
  const Index m = static_cast<Index>(positions.size());
  Matrix chosen(dimension_, m);
  for (Index j = 0; j < m; ++j) chosen.col(j) = coordinates_.col(positions[j]).head(dimension_);
  coordinates_.leftCols(m).topRows(dimension_) = chosen;
  size_ = m;
  if (4 * (dimension_ - kSpare) > 5 * size_) forget();
}

Vector RvmSpan::project(VectorIn v, int threads) const {
  Vector out(dimension_);
  gemv(1.0, basis_.leftCols(dimension_), Op::transposed, v, 0.0, out, threads);
  return out;
}

}  // namespace gpsieve
