#include "models/online/growing_symmetric.h"

#include <algorithm>
#include <cmath>

#include "base/large_pages.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr Index kInitialCapacity = 64;

}  // namespace

GrowingSymmetric::GrowingSymmetric(MatrixIn start, Index capacity) : size_(start.rows()) {
  const Index rows = std::max(capacity, size_);
  storage_ = large_zero_matrix(rows, rows);
  storage_.topLeftCorner(size_, size_) = start;
}

GrowingSymmetric GrowingSymmetric::from_lower(VectorIn lower, Index size, Index capacity) {
  GrowingSymmetric out;
  out.size_ = size;
  const Index rows = std::max(capacity, size);
  out.storage_ = large_zero_matrix(rows, rows);
  for (Index j = 0, at = 0; j < size; at += size - j, ++j)
    out.storage_.col(j).segment(j, size - j) = lower.segment(at, size - j);
  symmetrise_from_lower(out.storage_.topLeftCorner(size, size));
  return out;
}

Vector GrowingSymmetric::lower() const {
  Vector out(size_ * (size_ + 1) / 2);
  for (Index j = 0, at = 0; j < size_; at += size_ - j, ++j)
    out.segment(at, size_ - j) = storage_.col(j).segment(j, size_ - j);
  return out;
}

void GrowingSymmetric::assign(MatrixIn values) { storage_.topLeftCorner(size_, size_) = values; }

void GrowingSymmetric::append(VectorIn column, double diagonal) {
  if (size_ == storage_.rows()) {
    const Index bigger = std::max(kInitialCapacity, 2 * size_);
    Matrix grown = large_zero_matrix(bigger, bigger);
    grown.topLeftCorner(size_, size_) = block();
    storage_.swap(grown);
  }
  storage_.row(size_).head(size_) = column.transpose();
  storage_.col(size_).head(size_) = column;
  storage_(size_, size_) = diagonal;
  ++size_;
}

void GrowingSymmetric::remove(Index j) {
  // Column by column from the left: an element is read before its place is written.
  for (Index from = 0, to = 0; from < size_; ++from) {
    if (from == j) continue;
    const double* source = &storage_(0, from);
    double* target = &storage_(0, to++);
    if (target != source) std::copy(source, source + j, target);
    std::copy(source + j + 1, source + size_, target + j);
  }
  --size_;
}

// gemm() scales the product after the multiplication, so that the elements (i, j) and (j, i) come
// from the same operations on the same numbers.
void GrowingSymmetric::add_square(double scale, VectorIn v) {
  const Eigen::Map<const Matrix> column(v.data(), v.size(), 1);
  gemm(scale, column, Op::plain, column, Op::transposed, 1.0, storage_.topLeftCorner(size_, size_));
}

void GrowingSymmetric::add_squares(double scale, MatrixIn v) {
  auto all = storage_.topLeftCorner(size_, size_);
  syrk(scale, v, Op::plain, 1.0, all);
  symmetrise_from_lower(all);
}

// a b' + b a' = [(a + b)(a + b)' - (a - b)(a - b)'] / 2, with a and b scaled to equal largest
// elements.
void GrowingSymmetric::subtract_product(VectorIn a, VectorIn b) {
  if (a.isZero(0.0) || b.isZero(0.0)) return;
  const double balance =
      std::sqrt(b.lpNorm<Eigen::Infinity>()) / std::sqrt(a.lpNorm<Eigen::Infinity>());
  const Vector sum = balance * a + b / balance, difference = balance * a - b / balance;
  add_square(-0.5, sum);
  add_square(0.5, difference);
}

Vector without(VectorIn v, Index j) {
  Vector out(v.size() - 1);
  out << v.head(j), v.tail(v.size() - 1 - j);
  return out;
}

}  // namespace gpsieve
