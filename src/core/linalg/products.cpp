#include "linalg/products.h"

#include <algorithm>

#include "base/parallel.h"
#include "linalg/blocked.h"
#include "simd/kernels.h"

namespace gpsieve {

void gemm(double alpha, MatrixIn a, Op op_a, MatrixIn b, Op op_b, double beta, MatrixOut c,
          int threads) {
  const Index m = c.rows(), n = c.cols(), k = cols_of(a, op_a);
  require(rows_of(a, op_a) == m && rows_of(b, op_b) == k && cols_of(b, op_b) == n, "gemm",
          "the shapes do not fit");
  require(!overlap(c, a) && !overlap(c, b), "gemm", "the output overlaps an input");
  multiply(
      {m, n, k, alpha, view_of(a, op_a), view_of(b, op_b), beta, {c.data(), 1, c.outerStride()}},
      Part::all, threads);
}

void syrk(double alpha, MatrixIn a, Op op_a, double beta, MatrixOut c, int threads) {
  const Index n = rows_of(a, op_a), k = cols_of(a, op_a);
  require(c.rows() == n && c.cols() == n, "syrk", "the shapes do not fit");
  require(!overlap(c, a), "syrk", "the output overlaps the input");
  const ConstView left = view_of(a, op_a);
  multiply({n, n, k, alpha, left, left.transposed(), beta, {c.data(), 1, c.outerStride()}},
           Part::lower, threads);
}

void gemv(double alpha, MatrixIn a, Op op_a, VectorIn x, double beta, VectorOut y, int threads) {
  const Index m = rows_of(a, op_a), k = cols_of(a, op_a);
  require(x.size() == k && y.size() == m, "gemv", "the shapes do not fit");
  require(!overlap(y, x) && !overlap(y, a), "gemv", "the output overlaps an input");
  const Kernels& loops = kernels();
  const Index lda = a.outerStride();
  // Bound by memory: an element costs as much as several multiply-adds of a product.
  threads = useful_threads(threads, 8.0 * static_cast<double>(a.size()));
  if (op_a == Op::plain) {
    parallel_blocks(threads, m, share(m, threads, 8), [&](Index first, Index last) {
      loops.gemv(last - first, a.cols(), alpha, a.data() + first, lda, x.data(), beta,
                 y.data() + first);
    });
    return;
  }
  parallel_blocks(threads, m, share(m, threads, 8), [&](Index first, Index last) {
    double dot[64];
    for (Index j = first; j < last; j += 64) {
      const Index count = std::min<Index>(64, last - j);
      loops.dots(a.rows(), count, x.data(), a.data() + j * lda, lda, dot);
      for (Index i = 0; i < count; ++i)
        y[j + i] = (beta == 0.0 ? 0.0 : beta * y[j + i]) + alpha * dot[i];
    }
  });
}

void column_squared_norms(MatrixIn a, VectorOut out) {
  require(out.size() == a.cols(), "column_squared_norms", "the shapes do not fit");
  kernels().squared_norms(a.rows(), a.cols(), a.data(), a.outerStride(), out.data());
}

void column_dots(MatrixIn a, MatrixIn b, VectorOut out) {
  require(a.rows() == b.rows() && a.cols() == b.cols() && out.size() == a.cols(), "column_dots",
          "the shapes do not fit");
  const Kernels& loops = kernels();
  for (Index j = 0; j < a.cols(); ++j)
    loops.dots(a.rows(), 1, a.col(j).data(), b.col(j).data(), b.outerStride(), &out[j]);
}

void symmetrise_from_lower(MatrixOut a) {
  // In squares, so that the strided side of the copy stays in the cache.
  constexpr Index kSquare = 32;
  const Index n = a.cols();
  for (Index j0 = 0; j0 < n; j0 += kSquare)
    for (Index i0 = 0; i0 <= j0; i0 += kSquare)
      for (Index j = j0; j < std::min(n, j0 + kSquare); ++j)
        for (Index i = i0; i < std::min(j, i0 + kSquare); ++i) a(i, j) = a(j, i);
}

}  // namespace gpsieve
