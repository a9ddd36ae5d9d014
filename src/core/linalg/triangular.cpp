// Triangular solves and products, in place. All sixteen cases are one: rows z times u or u^-1, the
// left-sided ones by transposing everything. Recursion turns all but the diagonal blocks into
// products; those blocks are for the innermost loops (simd/kernels.h).
#include "base/parallel.h"
#include "linalg/blocked.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace {

enum class Task { solve, multiply };

// A diagonal block as the innermost loops want it: upper, in panels, reciprocals on the diagonal
// for a solve. A lower one becomes upper by counting rows and columns from the end.
inline void diagonal_block(Task task, Index rows, Index n, Shape shape, const ConstView& u,
                           const View& z) {
  alignas(64) double block[kDiagonal * kDiagonal];
  const bool upper = shape == Shape::upper;
  const double* corner = upper ? u.data : u.at(n - 1, n - 1);
  const Index down = upper ? u.row : -u.row, right = upper ? u.col : -u.col;
  for (Index j = 0; j < n; ++j) {
    double* column = block + place_in_diagonal(0, j);
    for (Index p = 0; p <= j; ++p) column[p * kGroup] = corner[p * down + j * right];
    if (task == Task::solve) column[j * kGroup] = 1.0 / column[j * kGroup];
  }
  for (Index j = n; j % kGroup != 0; ++j)
    for (Index p = 0; p <= j; ++p) block[place_in_diagonal(p, j)] = 0.0;
  const Kernels& k = kernels();
  (task == Task::solve ? k.solve_rows : k.multiply_rows)(
      rows, n, block, upper ? z.data : z.at(0, n - 1), z.row, upper ? z.col : -z.col);
}

}  // namespace

void solve_rows(Index rows, Index n, Shape shape, const ConstView& u, const View& z) {
  if (n <= kDiagonal) {
    diagonal_block(Task::solve, rows, n, shape, u, z);
    return;
  }
  const Index n1 = leading_size(n), n2 = n - n1;
  const View z1 = z, z2 = z.from(0, n1);
  if (shape == Shape::upper) {
    solve_rows(rows, n1, shape, u, z1);
    multiply({rows, n2, n1, -1.0, z1, u.from(0, n1), 1.0, z2}, Part::all, 1);
    solve_rows(rows, n2, shape, u.from(n1, n1), z2);
  } else {
    solve_rows(rows, n2, shape, u.from(n1, n1), z2);
    multiply({rows, n1, n2, -1.0, z2, u.from(n1, 0), 1.0, z1}, Part::all, 1);
    solve_rows(rows, n1, shape, u, z1);
  }
}

void multiply_rows(Index rows, Index n, Shape shape, const ConstView& u, const View& z) {
  if (n <= kDiagonal) {
    diagonal_block(Task::multiply, rows, n, shape, u, z);
    return;
  }
  const Index n1 = leading_size(n), n2 = n - n1;
  const View z1 = z, z2 = z.from(0, n1);
  if (shape == Shape::upper) {
    multiply_rows(rows, n2, shape, u.from(n1, n1), z2);
    multiply({rows, n2, n1, 1.0, z1, u.from(0, n1), 1.0, z2}, Part::all, 1);
    multiply_rows(rows, n1, shape, u, z1);
  } else {
    multiply_rows(rows, n1, shape, u, z1);
    multiply({rows, n1, n2, 1.0, z2, u.from(n1, 0), 1.0, z1}, Part::all, 1);
    multiply_rows(rows, n2, shape, u.from(n1, n1), z2);
  }
}

namespace {

void triangular(Task task, const char* routine, Side side, Triangle triangle, Op op_t, MatrixIn t,
                MatrixOut& b, int threads) {
  const Index n = t.rows(), rows = side == Side::left ? b.cols() : b.rows();
  require(t.cols() == n && (side == Side::left ? b.rows() : b.cols()) == n, routine,
          "the shapes do not fit");
  require(!overlap(t, b), routine, "the output overlaps the factor");
  if (n == 0 || rows == 0) return;

  const bool left = side == Side::left, exchange = left != (op_t == Op::transposed);
  const Index stride = t.outerStride();
  const ConstView u{t.data(), exchange ? stride : 1, exchange ? 1 : stride};
  const View z{b.data(), left ? b.outerStride() : 1, left ? 1 : b.outerStride()};
  const bool upper = (triangle == Triangle::upper) != exchange;
  const Shape shape = upper ? Shape::upper : Shape::lower;
  const auto routine_rows = task == Task::solve ? solve_rows : multiply_rows;
  if (threads > 1) threads = useful_threads(threads, 0.5 * volume(rows, n, n));
  if (threads <= 1) {
    routine_rows(rows, n, shape, u, z);
    return;
  }
  parallel_blocks(threads, rows, share(rows, threads, kernels().mr), [&](Index first, Index last) {
    routine_rows(last - first, n, shape, u, z.from(first, 0));
  });
}

}  // namespace

void trsm(Side side, Triangle triangle, Op op_t, MatrixIn t, MatrixOut b, int threads) {
  triangular(Task::solve, "trsm", side, triangle, op_t, t, b, threads);
}

void trmm(Side side, Triangle triangle, Op op_t, MatrixIn t, MatrixOut b, int threads) {
  triangular(Task::multiply, "trmm", side, triangle, op_t, t, b, threads);
}

}  // namespace gpsieve
