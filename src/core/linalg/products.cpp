#include "linalg/products.h"

namespace gpsieve {

void gemm(double alpha, MatrixIn a, Op op_a, MatrixIn b, Op op_b, double beta, MatrixOut c, int) {
  if (beta != 1.0) {
    if (beta == 0.0) c.setZero(); else c *= beta;
  }
  if (op_a == Op::plain && op_b == Op::plain) c.noalias() += alpha * a * b;
  else if (op_a == Op::plain) c.noalias() += alpha * a * b.transpose();
  else if (op_b == Op::plain) c.noalias() += alpha * a.transpose() * b;
  else c.noalias() += alpha * a.transpose() * b.transpose();
}

void syrk(double alpha, MatrixIn a, Op op_a, double beta, MatrixOut c, int) {
  auto lower = c.triangularView<Eigen::Lower>();
  if (beta == 0.0) lower.setZero(); else if (beta != 1.0) lower *= beta;
  if (op_a == Op::plain) c.selfadjointView<Eigen::Lower>().rankUpdate(a, alpha);
  else c.selfadjointView<Eigen::Lower>().rankUpdate(a.transpose(), alpha);
}

void trsm(Side side, Triangle triangle, Op op_t, MatrixIn t, MatrixOut b, int) {
  if (side == Side::left) {
    if (triangle == Triangle::lower) {
      if (op_t == Op::plain) t.triangularView<Eigen::Lower>().solveInPlace(b);
      else t.transpose().triangularView<Eigen::Upper>().solveInPlace(b);
    } else {
      if (op_t == Op::plain) t.triangularView<Eigen::Upper>().solveInPlace(b);
      else t.transpose().triangularView<Eigen::Lower>().solveInPlace(b);
    }
  } else {
    if (triangle == Triangle::lower) {
      if (op_t == Op::plain) t.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(b);
      else t.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(b);
    } else {
      if (op_t == Op::plain) t.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(b);
      else t.transpose().triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(b);
    }
  }
}

void trmm(Side side, Triangle triangle, Op op_t, MatrixIn t, MatrixOut b, int) {
  const Matrix full = triangle == Triangle::lower ? Matrix(t.triangularView<Eigen::Lower>())
                                                  : Matrix(t.triangularView<Eigen::Upper>());
  Matrix product(b.rows(), b.cols());
  if (side == Side::left) gemm(1.0, full, op_t, b, Op::plain, 0.0, product);
  else gemm(1.0, b, Op::plain, full, op_t, 0.0, product);
  b = product;
}

void gemv(double alpha, MatrixIn a, Op op_a, VectorIn x, double beta, VectorOut y, int) {
  if (beta == 0.0) y.setZero(); else if (beta != 1.0) y *= beta;
  if (op_a == Op::plain) y.noalias() += alpha * a * x;
  else y.noalias() += alpha * a.transpose() * x;
}

void column_squared_norms(MatrixIn a, VectorOut out) {
  out = a.colwise().squaredNorm().transpose();
}

void symmetrise_from_lower(MatrixOut a) {
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < j; ++i) a(i, j) = a(j, i);
}

}  // namespace gpsieve
