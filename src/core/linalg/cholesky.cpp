#include "linalg/cholesky.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/large_pages.h"
#include "linalg/blocked.h"
#include "linalg/strips.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace {

constexpr double kLargestJitter = 1e-2;  // of the mean diagonal: more would change the model
constexpr Index kInitialCapacity = 64;   // of a growing factor
constexpr Index kPivots = 2 * kGroup;    // columns of a block factored one by one

// Columns 0..width-1 of w (rows x width): a block of the diagonal and the rows below it, from which
// all earlier columns have already been subtracted.
void factor_group(Index rows, Index width, double* w, Index stride, Index offset) {
  // The block's factor transposed, reciprocals on its diagonal, zeros to a multiple of kGroup.
  double upper[kPivots * kDiagonal];
  for (Index j = 0; j < width; ++j) {
    double* column = w + j * stride;
    const double pivot = column[j];
    if (!(pivot > 0.0) || !std::isfinite(pivot)) throw NotPositiveDefinite(offset + j, pivot);
    // The next pivot waits for a division only: the root is taken beside it, not before it.
    const double inverse = 1.0 / pivot, root = std::sqrt(pivot), reciprocal = 1.0 / root;
    for (Index l = j + 1; l < width; ++l) {
      const double multiple = column[l] * inverse;
      for (Index i = l; i < width; ++i) w[i + l * stride] -= column[i] * multiple;
    }
    column[j] = root;
    upper[place_in_diagonal(j, j)] = reciprocal;
    for (Index i = j + 1; i < width; ++i) upper[place_in_diagonal(j, i)] = column[i] *= reciprocal;
  }
  for (Index i = width; i % kGroup != 0; ++i)
    for (Index j = 0; j <= i; ++j) upper[place_in_diagonal(j, i)] = 0.0;
  if (rows > width) kernels().solve_rows(rows - width, width, upper, w + width, 1, stride);
}

// A diagonal block, n <= kDiagonal.
void factor_leaf(Index n, const View& a, Index offset) {
  for (Index g = 0; g < n; g += kPivots) {
    const Index width = std::min(kPivots, n - g);
    if (g > 0)
      kernels().gemm_direct({n - g,
                             width,
                             g,
                             -1.0,
                             {a.at(g, 0), 1, a.col},
                             {a.at(g, 0), a.col, 1},
                             1.0,
                             {a.at(g, g), 1, a.col}},
                            0);
    factor_group(n - g, width, a.at(g, g), a.col, offset + g);
  }
}

void factor(Index n, const View& a, Index offset, int threads, const Poll& poll) {
  if (n <= kDiagonal) {
    factor_leaf(n, a, offset);
    return;
  }
  const Index n1 = leading_size(n), n2 = n - n1;
  const View below = a.from(n1, 0), rest = a.from(n1, n1);
  factor(n1, a, offset, threads, poll);
  solve_strips(n2, n1, Shape::upper, ConstView(a).transposed(), below, threads, poll);
  multiply_lower_strips(n2, n1, -1.0, below, ConstView(below).transposed(), rest, threads, poll);
  factor(n2, rest, offset + n1, threads, poll);
}

}  // namespace

void cholesky_in_place(MatrixOut a, int threads, const Poll& poll) {
  require(a.rows() == a.cols(), "cholesky_in_place", "the matrix is not square");
  if (a.rows() > 0) factor(a.rows(), {a.data(), 1, a.outerStride()}, 0, threads, poll);
}

void cholesky_solve(MatrixIn factor, MatrixOut b, int threads) {
  trsm(Side::left, Triangle::lower, Op::plain, factor, b, threads);
  trsm(Side::left, Triangle::lower, Op::transposed, factor, b, threads);
}

double sum_log_diagonal(MatrixIn factor) { return factor.diagonal().array().log().sum(); }

double cholesky_with_jitter(Matrix& a, double jitter, int threads) {
  if (a.rows() == 0) return 0.0;
  const double scale = a.diagonal().mean();
  const Vector diagonal = a.diagonal();
  Matrix original = large_matrix(a.rows(), a.cols());
  original = a;
  for (double relative = jitter;; relative = relative > 0.0 ? 10.0 * relative : 1e-12) {
    a.diagonal() = diagonal.array() + relative * scale;
    try {
      cholesky_in_place(a, threads);
      a.triangularView<Eigen::StrictlyUpper>().setZero();
      return relative * scale;
    } catch (const NotPositiveDefinite&) {
      if (!(10.0 * relative <= kLargestJitter)) throw;
      a = original;
    }
  }
}

GrowingCholesky::GrowingCholesky(Index capacity) : capacity_(capacity) {
  const Index initial = std::min(capacity, kInitialCapacity);
  storage_.setZero(initial, initial);
}

void GrowingCholesky::append(VectorIn row, double diagonal) {
  if (size_ == storage_.rows()) {
    const Index bigger = std::min(capacity_, 2 * storage_.rows());
    Matrix grown = large_zero_matrix(bigger, bigger);
    grown.topLeftCorner(size_, size_) = storage_;
    storage_.swap(grown);
  }
  storage_.row(size_).head(size_) = row.transpose();
  storage_(size_, size_) = diagonal;
  ++size_;
}

}  // namespace gpsieve
