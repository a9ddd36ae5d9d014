#include "models/online/row_block.h"

#include <cmath>

#include "linalg/products.h"

namespace gpsieve {

RowBlock::RowBlock(const PendingRows& rows, Index basis) {
  if (rows.signs.size() == 0) return;
  begin(basis - rows.own.cols());
  included_ = rows.own.cols();
  rows_ = rows.signs.size();
  squares_.topLeftCorner(basis, rows_) = rows.squares;
  own_.topLeftCorner(basis, included_) = rows.own;
  signs_.head(rows_) = rows.signs;
}

void RowBlock::begin(Index basis) {
  start_ = basis;
  rows_ = included_ = 0;
  squares_.setZero(basis + kRows, kRows);
  own_.setZero(basis + kRows, kRows);
  signs_.setZero(kRows);
}

void RowBlock::complete(VectorIn k, VectorOut v, VectorOut z) const {
  const Index size = start_ + included_;
  if (included_ > 0) {
    Eigen::Map<Matrix> tail(v.data() + start_, included_, 1);
    tail.col(0) = k;
    if (start_ > 0)
      gemv(-1.0, own_.topLeftCorner(start_, included_), Op::transposed, v.head(start_), 1.0,
           tail.col(0));
    trsm(Side::left, Triangle::upper, Op::transposed, own_.block(start_, 0, included_, included_),
         tail);
    z.tail(included_) = tail.col(0);
  }
  if (rows_ == 0 || size == 0) return;
  const auto squares = squares_.topLeftCorner(size, rows_);
  Vector shares(rows_);
  gemv(1.0, squares, Op::transposed, v, 0.0, shares);
  shares.array() *= signs_.head(rows_).array();
  gemv(1.0, squares, Op::plain, shares, 1.0, z);
}

void RowBlock::add(double d2, VectorIn step) {
  squares_.col(rows_).head(step.size()) = std::sqrt(std::abs(d2)) * step;
  signs_(rows_++) = d2 < 0.0 ? -1.0 : 1.0;
}

void RowBlock::include(VectorIn own) { own_.col(included_++).head(own.size()) = own; }

void RowBlock::apply(GrowingSymmetric& covariance) const {
  for (Index i = 0; i < included_; ++i) covariance.append(Vector::Zero(covariance.size()), 1.0);
  const Index size = start_ + included_;
  Matrix of_sign(size, rows_);
  for (const double sign : {-1.0, 1.0}) {
    Index n = 0;
    for (Index i = 0; i < rows_; ++i)
      if (signs_(i) == sign) of_sign.col(n++) = squares_.col(i).head(size);
    if (n > 0) covariance.add_squares(sign, of_sign.leftCols(n));
  }
}

PendingRows RowBlock::pending(const GrowingSymmetric& start) const {
  const Index size = start_ + included_;
  PendingRows rows;
  rows.start = start.lower();
  rows.squares = squares_.topLeftCorner(size, rows_);
  rows.own = own_.topLeftCorner(size, included_);
  rows.signs = signs_.head(rows_);
  return rows;
}

}  // namespace gpsieve
