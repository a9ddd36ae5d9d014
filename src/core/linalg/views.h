// Dense operands as a pointer and two strides: transposition is an exchange of the strides.
#ifndef GPSIEVE_LINALG_VIEWS_H
#define GPSIEVE_LINALG_VIEWS_H

#include <utility>

#include "base/types.h"
#include "linalg/products.h"

namespace gpsieve {

template <class Scalar>
struct BasicView {
  Scalar* data;
  Index row, col;  // distance between neighbours in a column and in a row

  Scalar* at(Index i, Index j) const { return data + i * row + j * col; }
  BasicView from(Index i, Index j) const { return {at(i, j), row, col}; }
  BasicView transposed() const { return {data, col, row}; }
  operator BasicView<const Scalar>() const { return {data, row, col}; }
};
using View = BasicView<double>;
using ConstView = BasicView<const double>;

inline ConstView view_of(MatrixIn a, Op op) {
  const ConstView plain{a.data(), 1, a.outerStride()};
  return op == Op::plain ? plain : plain.transposed();
}

inline std::pair<Index, Index> shape_of(MatrixIn a, Op op) {
  return op == Op::plain ? std::make_pair(a.rows(), a.cols()) : std::make_pair(a.cols(), a.rows());
}

// Throws InvalidSpec with the routine's name unless the condition holds.
void require(bool condition, const char* routine, const char* what);

// True if the two column-major blocks share an element. Blocks of one matrix may interleave in
// memory without sharing any; blocks with different strides count as sharing if their ranges do.
bool overlap(MatrixIn a, MatrixIn b);

}  // namespace gpsieve

#endif
