#include "approx/fitc_gradient.h"

#include "approx/point_blocks.h"
#include "linalg/products.h"

namespace gpsieve {

FitcAdjoint fitc_adjoint(const Fitc& fitc, const EpState& state, const EpPass& pass,
                         const Context& ctx) {
  const Matrix& v = fitc.whitened();
  const Matrix& l = fitc.factor();
  const Index m = v.rows(), n = v.cols();
  // h = d log Z_i / d mean, gamma = d log Z_i / d variance of f_i under the cavity.
  const auto h = pass.d1.array();
  FitcAdjoint adjoint;
  adjoint.diagonal = 0.5 * (h.square() + pass.d2.array());
  const auto gamma = adjoint.diagonal.array();
  const Vector weight =
      (h * (state.precision.array() * pass.mean.array() - state.shift.array()) + 2.0 * gamma) /
      (1.0 - state.precision.array() * pass.variance.array());

  // H = Lambda^-1 V diag(weight) + mean h', the cavities' first two moments against V.
  Matrix moments = v;
  for_point_blocks(n, m, ctx.threads, ctx, [&](Index begin, Index end) {
    auto block = moments.middleCols(begin, end - begin);
    trsm(Side::left, Triangle::lower, Op::plain, state.q.factor, block);
    trsm(Side::left, Triangle::lower, Op::transposed, state.q.factor, block);
    block.array().rowwise() *= weight.segment(begin, end - begin).transpose().array();
    block.noalias() += state.q.mean * pass.d1.segment(begin, end - begin).transpose();
  });

  // G_w = sym(-H V' + V diag(gamma) V') + (Lambda^-1 + mean mean' - I) / 2
  Matrix weighted(m, n);
  weighted = v.array().rowwise() * gamma.transpose();
  weighted -= moments;
  Matrix product(m, m);
  gemm(1.0, weighted, Op::plain, v, Op::transposed, 0.0, product, ctx.threads);
  Matrix covariance = Matrix::Identity(m, m);
  trsm(Side::left, Triangle::lower, Op::plain, state.q.factor, covariance);
  trsm(Side::left, Triangle::lower, Op::transposed, state.q.factor, covariance);
  adjoint.inducing = 0.5 * (product + product.transpose() + covariance);
  adjoint.inducing.noalias() += 0.5 * state.q.mean * state.q.mean.transpose();
  adjoint.inducing.diagonal().array() -= 0.5;
  // G_uu = L^-T G_w L^-1
  trsm(Side::left, Triangle::lower, Op::transposed, l, adjoint.inducing);
  trsm(Side::right, Triangle::lower, Op::plain, l, adjoint.inducing);

  // G_uf = L^-T (H - 2 V diag(gamma)); `weighted` holds V diag(gamma) - H.
  adjoint.cross = -weighted;
  adjoint.cross.noalias() -= v * gamma.matrix().asDiagonal();
  for_point_blocks(n, m, ctx.threads, ctx, [&](Index begin, Index end) {
    trsm(Side::left, Triangle::lower, Op::transposed, l,
         adjoint.cross.middleCols(begin, end - begin));
  });
  return adjoint;
}

Vector fitc_gradient(const Kernel& kernel, Points inducing, Points x, const Fitc& fitc,
                     const EpState& state, const EpPass& pass, const Context& ctx) {
  const FitcAdjoint adjoint = fitc_adjoint(fitc, state, pass, ctx);
  Vector grad = Vector::Zero(kernel.n_params());
  // Blocks of points keep the kernel's work space small.
  constexpr Index kBlock = 1024;
  for (Index begin = 0; begin < x.cols(); begin += kBlock) {
    const Index rows = std::min(kBlock, x.cols() - begin);
    kernel.cross_gradient(inducing, x.middleCols(begin, rows),
                          adjoint.cross.middleCols(begin, rows), grad);
    ctx.check();
  }
  kernel.gram_gradient(inducing, adjoint.inducing, grad);
  kernel.diagonal_gradient(x, adjoint.diagonal, grad);
  Vector prior(inducing.cols());
  kernel.diagonal(inducing, prior);
  const double share = fitc.jitter() / prior.sum();  // jitter = relative * mean of the diagonal
  kernel.diagonal_gradient(
      inducing, Vector::Constant(inducing.cols(), share * adjoint.inducing.trace()), grad);
  return grad;
}

}  // namespace gpsieve
