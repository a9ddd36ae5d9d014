#include <algorithm>
#include <cmath>

#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "math/constants.h"
#include "math/normal.h"
#include "models/greedy/basis_cross.h"
#include "models/greedy/evidence.h"

namespace gpsieve {
namespace {

constexpr Index kWhitenedRows = 1024;  // rows of the data whitened together

// The rows as their case weights w scale them: responses times sqrt(w), and sqrt(w) itself, which
// is empty without weights.
struct ScaledRows {
  Vector y;
  Vector root_weight;
  double noise;
};

// The first visit to the rows: P = s2 I + Z'Z with its factor, Z'y, tr(K - Z Z').
struct Projected {
  Matrix kernel_factor;  // L, L L' = K_BB + jitter I
  double jitter;
  Matrix factor;  // of P
  Matrix target;  // chol(B)^-1 Z'y
  double residual_trace;
};

// Rows of Z, as columns; with case weights w a row is multiplied by sqrt(w), as its response is.
Matrix whitened_rows(const BasisCross& cross, const Matrix& l, Index begin, Index rows,
                     const Vector& root_weight, int threads) {
  Matrix z = cross.block(begin, rows, threads);
  trsm(Side::left, Triangle::lower, Op::plain, l, z, threads);
  if (root_weight.size() > 0)
    z.array().rowwise() *= root_weight.segment(begin, rows).transpose().array();
  return z;
}

Projected project(const Kernel& kernel, Points x, const BasisCross& cross, const ScaledRows& data,
                  const Context& ctx) {
  const Index m = cross.size();
  const Vector& root_weight = data.root_weight;
  Projected p;
  p.kernel_factor.resize(m, m);
  if (m > 0) kernel.gram(cross.points(), p.kernel_factor);
  p.jitter = m > 0 ? cholesky_with_jitter(p.kernel_factor, 0.0, ctx.threads) : 0.0;
  p.factor = data.noise * Matrix::Identity(m, m);
  Vector target = Vector::Zero(m), prior(x.cols());
  kernel.diagonal(x, prior);
  if (root_weight.size() > 0) prior = prior.cwiseProduct(root_weight.cwiseAbs2());
  p.residual_trace = prior.sum();
  for (Index begin = 0; m > 0 && begin < x.cols(); begin += kWhitenedRows) {
    const Index rows = std::min(kWhitenedRows, x.cols() - begin);
    const Matrix z = whitened_rows(cross, p.kernel_factor, begin, rows, root_weight, ctx.threads);
    syrk(1.0, z, Op::plain, 1.0, p.factor, ctx.threads);
    gemv(1.0, z, Op::plain, data.y.segment(begin, rows), 1.0, target, ctx.threads);
    p.residual_trace -= z.squaredNorm();
    ctx.check();
  }
  cholesky_in_place(p.factor, ctx.threads);
  p.factor.triangularView<Eigen::StrictlyUpper>().setZero();
  p.target = target;
  trsm(Side::left, Triangle::lower, Op::plain, p.factor, p.target);
  return p;
}

// The second visit: G_F' = L^-T [-P^-1 Z' + beta r'/s2 + Z'/s2] in blocks of rows, straight into
// the kernel's reverse mode. beta = P^-1 Z'y, r = y - Z beta; the last term belongs to the trace.
void add_cross_gradient(const BasisCross& cross, const ScaledRows& data, bool trace_term,
                        const Projected& p, const Matrix& beta, const Context& ctx,
                        VectorOut gradient) {
  const Vector& root_weight = data.root_weight;
  for (Index begin = 0; begin < cross.rows(); begin += kWhitenedRows) {
    const Index rows = std::min(kWhitenedRows, cross.rows() - begin);
    const Matrix z = whitened_rows(cross, p.kernel_factor, begin, rows, root_weight, ctx.threads);
    Vector residual = data.y.segment(begin, rows);
    gemv(-1.0, z, Op::transposed, beta.col(0), 1.0, residual);
    Matrix g = -z;
    cholesky_solve(p.factor, g, ctx.threads);
    if (trace_term) g += z / data.noise;
    g.noalias() += beta.col(0) * (residual / data.noise).transpose();
    trsm(Side::left, Triangle::lower, Op::transposed, p.kernel_factor, g, ctx.threads);
    if (root_weight.size() > 0)
      g.array().rowwise() *= root_weight.segment(begin, rows).transpose().array();
    cross.add_gradient(begin, g, gradient);
    ctx.check();
  }
}

}  // namespace

GreedyEvidence regression_evidence(const GreedyRegressionRows& data, const Indices& basis,
                                   bool trace_term, bool gradient, const Context& ctx) {
  const auto& [kernel, x, response, noise, cases] = data;
  const BasisCross cross(kernel, x, basis);
  const Index m = cross.size(), n = x.cols();
  ScaledRows scaled{response, cases.weight.cwiseSqrt(), noise};
  if (cases.weighted()) scaled.y = scaled.y.cwiseProduct(scaled.root_weight);
  const double rows = cases.weighted() ? cases.weight.sum() : static_cast<double>(n);
  const Projected p = project(kernel, x, cross, scaled, ctx);
  const double surplus = rows - static_cast<double>(m), trace = trace_term ? p.residual_trace : 0.0;
  const double misfit = scaled.y.squaredNorm() - p.target.squaredNorm();  // |y|^2 - y'K_B b
  GreedyEvidence found;
  found.value = -0.5 * (surplus * std::log(noise) + (misfit + trace) / noise) -
                sum_log_diagonal(p.factor) - rows * kLogSqrt2Pi;
  if (!gradient) return found;

  found.kernel_gradient = Vector::Zero(kernel.n_params());
  if (trace_term)
    kernel.diagonal_gradient(x, -0.5 / noise * cases.weights(n), found.kernel_gradient);
  Matrix beta = p.target;
  trsm(Side::left, Triangle::lower, Op::transposed, p.factor, beta);
  Matrix inverse = Matrix::Identity(m, m);  // of P: weights of dK_BB are wanted whole
  cholesky_solve(p.factor, inverse);

  const double by_noise = -0.5 * (surplus / noise + inverse.trace() - misfit / (noise * noise) +
                                  beta.squaredNorm() / noise - trace / (noise * noise));
  found.likelihood_gradient = Vector::Constant(1, noise * by_noise);
  if (m == 0) return found;

  // G_U = L^-T [-s2 P^-1 + I - beta beta' - (P - s2 I)/s2] L^-1 / 2
  Matrix g = -noise * inverse - beta * beta.transpose();
  g.diagonal().array() += trace_term ? 2.0 : 1.0;
  if (trace_term) {
    Matrix b(m, m);
    gemm(1.0, p.factor, Op::plain, p.factor, Op::transposed, 0.0, b, ctx.threads);
    g -= b / noise;
  }
  g *= 0.5;
  trsm(Side::left, Triangle::lower, Op::transposed, p.kernel_factor, g);
  trsm(Side::right, Triangle::lower, Op::plain, p.kernel_factor, g);

  kernel.gram_gradient(cross.points(), g, found.kernel_gradient);
  if (p.jitter > 0.0) {  // jitter follows the mean of K_BB's diagonal
    const double share = p.jitter / cross.diagonal().sum();
    kernel.diagonal_gradient(cross.points(), Vector::Constant(m, share * g.trace()),
                             found.kernel_gradient);
  }
  add_cross_gradient(cross, scaled, trace_term, p, beta, ctx, found.kernel_gradient);
  return found;
}

}  // namespace gpsieve
