// Eigen's matrices as views, and whether two blocks of memory overlap.
#ifndef GPSIEVE_LINALG_VIEWS_H
#define GPSIEVE_LINALG_VIEWS_H

#include <cstdint>

#include "base/types.h"
#include "linalg/products.h"
#include "simd/product.h"

namespace gpsieve {

inline ConstView view_of(MatrixIn a, Op op) {
  const ConstView plain{a.data(), 1, a.outerStride()};
  return op == Op::plain ? plain : plain.transposed();
}

// The size of op(a).
inline Index rows_of(MatrixIn a, Op op) { return op == Op::plain ? a.rows() : a.cols(); }
inline Index cols_of(MatrixIn a, Op op) { return op == Op::plain ? a.cols() : a.rows(); }

// Throws InvalidSpec with the routine's name unless the condition holds.
[[noreturn]] void refuse(const char* routine, const char* what);
inline void require(bool condition, const char* routine, const char* what) {
  if (!condition) refuse(routine, what);
}

// Where a column-major block lies, for the question whether two of them share an element.
struct Extent {
  const double* data;
  Index rows, cols, stride;
  // Addresses, because an empty block has no last element to point behind.
  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(data); }
  std::uintptr_t end() const {
    return begin() + sizeof(double) * static_cast<std::uintptr_t>(rows + (cols - 1) * stride);
  }
};
template <class Dense>
Extent extent_of(const Dense& x) {
  return {x.data(), x.rows(), x.cols(), x.outerStride()};
}

// For blocks whose ranges of addresses meet: blocks of one matrix may interleave without sharing
// an element; blocks with different strides count as sharing.
bool interleaved_overlap(const Extent& a, const Extent& b);

template <class DenseA, class DenseB>
inline bool overlap(const DenseA& a, const DenseB& b) {
  const bool apart =
      extent_of(a).begin() >= extent_of(b).end() || extent_of(b).begin() >= extent_of(a).end();
  return !apart && interleaved_overlap(extent_of(a), extent_of(b));
}

}  // namespace gpsieve

#endif
