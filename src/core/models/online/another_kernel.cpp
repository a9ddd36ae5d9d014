#include "models/online/another_kernel.h"

#include <utility>

#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

Matrix inverse_of(Matrix a) {
  const Index b = a.rows();
  cholesky_with_jitter(a, 0.0);
  Matrix inverse = Matrix::Identity(b, b);
  cholesky_solve(a, inverse);
  symmetrise_from_lower(inverse);
  return inverse;
}

// diag(W' A W)
Vector diagonal_of_form(MatrixIn a, MatrixIn w) {
  Matrix half(a.rows(), w.cols());
  gemm(1.0, a, Op::plain, w, Op::plain, 0.0, half);
  Vector out(w.cols());
  column_dots(w, half, out);
  return out;
}

}  // namespace

Information information_of(MatrixIn covariance, MatrixIn whitening) {
  Information out;
  out.precision = inverse_of(covariance);
  out.weight_variance = diagonal_of_form(covariance, whitening);
  out.stiffness = diagonal_of_form(out.precision, whitening);
  return out;
}

OnlineState under_another_kernel(OnlineState state, const Kernel& kernel, Points basis,
                                 double noise_ratio, const OnlineOptions& options) {
  const Index b = basis.cols();
  if (b == 0) return state;
  Matrix factor(b, b);
  kernel.gram(basis, factor);
  cholesky_with_jitter(factor, 0.0);
  Matrix turn(b, b);  // T = W L, from the new coordinates to the old ones
  gemm(1.0, state.whitening, Op::plain, factor, Op::plain, 0.0, turn);

  // theory.md (23) and (24)
  Matrix gained = inverse_of(state.form);
  Vector pull(b);
  gemv(1.0 / noise_ratio, gained, Op::plain, state.mean, 0.0, pull);
  gained.diagonal().array() -= 1.0;
  Matrix half(b, b), precision(b, b);
  gemm(1.0 / noise_ratio, gained, Op::plain, turn, Op::plain, 0.0, half);
  gemm(1.0, turn, Op::transposed, half, Op::plain, 0.0, precision);
  precision.diagonal().array() += 1.0;
  state.form = inverse_of(precision);
  Vector turned(b);
  gemv(1.0, turn, Op::transposed, pull, 0.0, turned);
  gemv(1.0, state.form, Op::plain, turned, 0.0, state.mean);

  state.whitening.setIdentity(b, b);
  trsm(Side::left, Triangle::lower, Op::plain, factor, state.whitening);
  gemv(1.0, state.whitening, Op::transposed, state.mean, 0.0, state.weights);
  state.since_refresh = 0;
  state.refreshed = b;
  state.pending = PendingRows();
  if (options.bounded()) {
    Information information = information_of(state.form, state.whitening);
    state.precision = std::move(information.precision);
    state.weight_variance = std::move(information.weight_variance);
    state.stiffness = std::move(information.stiffness);
  }
  return state;
}

}  // namespace gpsieve
