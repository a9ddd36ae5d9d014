#include "models/meanfield/inverse.h"

#include "linalg/strips.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace {

constexpr Index kLeaf = 16;  // larger blocks are divided: their products are faster

// Where the recursions split n > kLeaf: the largest kLeaf 2^i below n, which is leading_size(n) for
// blocks that are no leaf of a triangular solve.
Index split(Index n) {
  Index size = kLeaf;
  while (2 * size < n) size *= 2;
  return size;
}

// Columns from the right: column j of the inverse needs only the columns to its right.
void invert_leaf(Index n, const View& l) {
  for (Index j = n - 1; j >= 0; --j) {
    const double own = 1.0 / *l.at(j, j);
    for (Index i = n - 1; i > j; --i) {
      double sum = 0.0;
      for (Index k = j + 1; k <= i; ++k) sum += *l.at(i, k) * *l.at(k, j);
      *l.at(i, j) = -own * sum;
    }
    *l.at(j, j) = own;
  }
}

// [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1 C^-1]
void invert(Index n, const View& l, int threads, const Poll& poll) {
  if (n <= kLeaf) {
    invert_leaf(n, l);
    return;
  }
  const Index n1 = split(n), n2 = n - n1;
  const View below = l.from(n1, 0), rest = l.from(n1, n1);
  solve_strips(n2, n1, Shape::lower, l, below, threads, poll);
  solve_strips(n1, n2, Shape::upper, ConstView(rest).transposed(), below.transposed(), threads,
               poll);
  for (Index j = 0; j < n1; ++j)
    for (Index i = 0; i < n2; ++i) *below.at(i, j) = -*below.at(i, j);
  invert(n1, l, threads, poll);
  invert(n2, rest, threads, poll);
}

// Row i of the product needs rows from i on only.
void gram_leaf(Index n, const View& l) {
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (Index k = i; k < n; ++k) sum += *l.at(k, i) * *l.at(k, j);
      *l.at(i, j) = sum;
    }
}

// [A 0; B C]' [A 0; B C] = [A'A + B'B .; C'B C'C]
void gram(Index n, const View& l, int threads, const Poll& poll) {
  if (n <= kLeaf) {
    gram_leaf(n, l);
    return;
  }
  const Index n1 = split(n), n2 = n - n1;
  const View below = l.from(n1, 0), rest = l.from(n1, n1);
  gram(n1, l, threads, poll);
  multiply_lower_strips(n1, n2, 1.0, ConstView(below).transposed(), below, l, threads, poll);
  multiply_strips(n1, n2, Shape::lower, rest, below.transposed(), threads, poll);
  gram(n2, rest, threads, poll);
}

}  // namespace

void invert_lower_in_place(MatrixOut l, int threads, const Poll& poll) {
  require(l.rows() == l.cols(), "invert_lower_in_place", "the matrix is not square");
  if (l.rows() > 0) invert(l.rows(), {l.data(), 1, l.outerStride()}, threads, poll);
}

void gram_of_lower_in_place(MatrixOut l, int threads, const Poll& poll) {
  require(l.rows() == l.cols(), "gram_of_lower_in_place", "the matrix is not square");
  if (l.rows() > 0) gram(l.rows(), {l.data(), 1, l.outerStride()}, threads, poll);
}

}  // namespace gpsieve
