#include "models/rvm/column_space.h"

#include <algorithm>

#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr Index kInitialColumns = 32;
// A column adds a dimension if the norm of its part orthogonal to Q, relative to the norm of the
// column, exceeds this value.
constexpr double kOrthogonalPart = 1e-15;
// Two rounds of Gram-Schmidt make the new column orthogonal to working precision.
constexpr int kRounds = 2;
// The factorisation is cleared when R - kSpareColumns exceeds 5 M / 4.
constexpr Index kSpareColumns = 4;

// Enlarges a matrix to at least so many rows and columns; the new entries are zero.
void enlarge(Matrix& a, Index rows, Index cols) {
  if (a.rows() >= rows && a.cols() >= cols) return;
  const Index capacity = std::max({cols, 2 * a.cols(), kInitialColumns});
  Matrix grown = Matrix::Zero(std::max(rows, a.rows()), capacity);
  grown.topLeftCorner(a.rows(), a.cols()) = a;
  a.swap(grown);
}

}  // namespace

void RvmColumnSpace::assign(MatrixIn p, int threads) {
  clear();
  for (Index j = 0; j < p.cols(); ++j) append(p.col(j), threads);
}

void RvmColumnSpace::append(VectorIn column, int threads) {
  enlarge(basis_, column.size(), dimension_ + 1);
  enlarge(coordinates_, basis_.cols(), size_ + 1);
  Vector orthogonal = column;
  auto coordinates = coordinates_.col(size_);
  coordinates.setZero();
  if (dimension_ > 0) {
    const auto q = basis_.leftCols(dimension_);
    Vector part(dimension_);
    for (int round = 0; round < kRounds; ++round) {
      gemv(1.0, q, Op::transposed, orthogonal, 0.0, part, threads);
      gemv(-1.0, q, Op::plain, part, 1.0, orthogonal, threads);
      coordinates.head(dimension_) += part;
    }
  }
  const double norm = orthogonal.norm();
  if (norm > kOrthogonalPart * column.norm() && dimension_ < column.size()) {
    basis_.col(dimension_) = orthogonal / norm;
    coordinates(dimension_) = norm;
    ++dimension_;
  }
  ++size_;
}

void RvmColumnSpace::keep(const Indices& positions) {
  const Index m = static_cast<Index>(positions.size());
  Matrix chosen(dimension_, m);
  for (Index j = 0; j < m; ++j) chosen.col(j) = coordinates_.col(positions[j]).head(dimension_);
  coordinates_.leftCols(m).topRows(dimension_) = chosen;
  size_ = m;
  if (4 * (dimension_ - kSpareColumns) > 5 * size_) clear();
}

Vector RvmColumnSpace::project(VectorIn v, int threads) const {
  Vector out(dimension_);
  gemv(1.0, basis_.leftCols(dimension_), Op::transposed, v, 0.0, out, threads);
  return out;
}

}  // namespace gpsieve
