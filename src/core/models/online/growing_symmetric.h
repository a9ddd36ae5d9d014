// A dense symmetric matrix that gains and loses one row and column at a time, in a buffer that is
// reallocated only when the matrix outgrows it.
#ifndef GPSIEVE_MODELS_ONLINE_GROWING_SYMMETRIC_H
#define GPSIEVE_MODELS_ONLINE_GROWING_SYMMETRIC_H

#include "base/types.h"

namespace gpsieve {

// Both triangles are stored. Every update adds multiples of v v', so that they stay exactly equal.
class GrowingSymmetric {
 public:
  GrowingSymmetric() = default;
  // Starts from a symmetric matrix in a buffer of at least `capacity` rows.
  GrowingSymmetric(MatrixIn start, Index capacity);
  // Starts from the lower triangle of a matrix, one column after the other.
  static GrowingSymmetric from_lower(VectorIn lower, Index size, Index capacity);

  Index size() const { return size_; }
  auto block() const { return storage_.topLeftCorner(size_, size_); }
  auto diagonal() const { return block().diagonal(); }
  auto column(Index j) const { return storage_.col(j).head(size_); }
  Vector lower() const;  // what from_lower() takes

  void assign(MatrixIn values);  // of the same size
  void append(VectorIn column, double diagonal);
  void remove(Index j);  // row and column j; later ones move up

  void add_square(double scale, VectorIn v);      // += scale v v'
  void add_squares(double scale, MatrixIn v);     // += scale v v' with the columns of v
  void subtract_product(VectorIn a, VectorIn b);  // -= a b' + b a'

 private:
  Matrix storage_;
  Index size_ = 0;
};

// v without its element j.
Vector without(VectorIn v, Index j);

}  // namespace gpsieve

#endif
