// A product of dense matrices as the innermost loops see it: sizes, factors, and operands as a
// pointer and two strides. No function of this file is called by an innermost loop.
#ifndef GPSIEVE_SIMD_PRODUCT_H
#define GPSIEVE_SIMD_PRODUCT_H

#include <cstddef>

namespace gpsieve {

using Index = std::ptrdiff_t;  // as in base/types.h, which would bring Eigen with it

// Transposition is an exchange of the strides.
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

// c (m x n) = beta c + alpha a b, a m x k and b k x n.
struct Product {
  Index m, n, k;
  double alpha;
  ConstView a, b;
  double beta;
  View c;
};

}  // namespace gpsieve

#endif
