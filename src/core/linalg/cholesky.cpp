#include "linalg/cholesky.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr Index kBlock = 64;              // diagonal blocks factored plainly, the rest is trsm + syrk
constexpr double kLargestJitter = 1e-2;   // of the mean diagonal: beyond it the model is another one

// Unblocked, left-looking; `offset` only serves the error message.
void factor_block(MatrixOut a, Index offset) {
  for (Index j = 0; j < a.cols(); ++j) {
    const double pivot = a(j, j) - a.row(j).head(j).squaredNorm();
    if (!(pivot > 0.0) || !std::isfinite(pivot)) throw NotPositiveDefinite(offset + j, pivot);
    const double root = std::sqrt(pivot);
    a(j, j) = root;
    for (Index i = j + 1; i < a.rows(); ++i)
      a(i, j) = (a(i, j) - a.row(i).head(j).dot(a.row(j).head(j))) / root;
  }
}

}  // namespace

void cholesky_in_place(MatrixOut a, int threads) {
  const Index n = a.rows();
  for (Index k = 0; k < n; k += kBlock) {
    const Index width = std::min(kBlock, n - k), below = n - k - width;
    factor_block(a.block(k, k, width, width), k);
    if (below == 0) break;
    auto panel = a.block(k + width, k, below, width);
    trsm(Side::right, Triangle::lower, Op::transposed, a.block(k, k, width, width), panel, threads);
    syrk(-1.0, panel, Op::plain, 1.0, a.bottomRightCorner(below, below), threads);
  }
}

double sum_log_diagonal(MatrixIn factor) { return factor.diagonal().array().log().sum(); }

double cholesky_with_jitter(Matrix& a, double jitter, int threads) {
  const double scale = a.diagonal().mean();
  const Vector diagonal = a.diagonal();
  const Matrix original = a;
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
  const Index initial = std::min<Index>(capacity, kBlock);
  storage_.setZero(initial, initial);
}

void GrowingCholesky::append(VectorIn row, double diagonal) {
  if (size_ == storage_.rows()) {
    const Index bigger = std::min(capacity_, 2 * storage_.rows());
    Matrix grown = Matrix::Zero(bigger, bigger);
    grown.topLeftCorner(size_, size_) = storage_;
    storage_.swap(grown);
  }
  storage_.row(size_).head(size_) = row.transpose();
  storage_(size_, size_) = diagonal;
  ++size_;
}

}  // namespace gpsieve
