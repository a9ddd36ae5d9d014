#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "models/greedy/basis_cross.h"
#include "models/greedy/evidence.h"

namespace gpsieve {
namespace {

constexpr Index kRows = 1024;
constexpr Index kRowsPerPoll = 1 << 16;  // of likelihood terms
// The gradient takes the mode as exact: an error of the mode is an error of the same size in the
// gradient.
constexpr double kModeTolerance = 1e-13;
constexpr double kStencilStep = 1e-3;

// First and second derivative at t = 0 by five points: errors of order step^4 and, by rounding,
// eps / step and eps / step^2.
template <class Function>
double first_difference(const Function& f) {
  const double h = kStencilStep;
  return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
}
template <class Function>
double second_difference(const Function& f) {
  const double h = kStencilStep;
  return (16.0 * (f(h) + f(-h)) - (f(2.0 * h) + f(-2.0 * h)) - 30.0 * f(0.0)) / (12.0 * h * h);
}

struct LatentDerivatives {
  Vector slope, curvature, third;  // c1, c2, c3 at the mode
};

LatentDerivatives derivatives_at(const Likelihood& likelihood, MatrixIn y, const Vector& f,
                                 const Vector& weight, const Context& ctx) {
  const Index n = f.size();
  LatentDerivatives d{Vector(n), Vector(n), Vector(n)};
  const auto at_row = [&](Index i) {
    const Tilted t = likelihood.derivatives(observed(y, i), f(i));
    d.slope(i) = weight(i) * -t.d1;
    d.curvature(i) = weight(i) * -t.d2;
    d.third(i) = weight(i) * -likelihood.third_derivative(observed(y, i), f(i));
  };
  for (Index begin = 0; begin < n; begin += kRowsPerPoll) {
    parallel_blocks(ctx.threads, std::min(kRowsPerPoll, n - begin), kRows,
                    [&](Index from, Index to) {
                      for (Index i = begin + from; i < begin + to; ++i) at_row(i);
                    });
    ctx.check();
  }
  return d;
}

// A row-wise view of Z H^-1: the rows begin..begin + rows - 1 of Z and Z H^-1, as columns.
struct WhitenedBlock {
  WhitenedBlock(MatrixIn z, MatrixIn factor, Index begin, Index rows, int threads)
      : plain(z.middleRows(begin, rows).transpose()), solved(plain) {
    cholesky_solve(factor, solved, threads);
  }
  Matrix plain, solved;
};

// Leverages [Z H^-1 Z']_ii.
Vector leverages(MatrixIn z, MatrixIn factor, const Context& ctx) {
  Vector out(z.rows());
  for (Index begin = 0; begin < z.rows(); begin += kRows) {
    const Index rows = std::min(kRows, z.rows() - begin);
    Matrix block = z.middleRows(begin, rows).transpose();
    trsm(Side::left, Triangle::lower, Op::plain, factor, block, ctx.threads);
    column_squared_norms(block, out.segment(begin, rows));
    ctx.check();
  }
  return out;
}

// By the likelihood's log parameters: explicitly, through c2, and through the mode, which moves by
// Z H^-1 Z' (d/df of the parameter's score).
Vector likelihood_gradient(const Likelihood& likelihood, MatrixIn y, const Vector& f, MatrixIn z,
                           const Vector& weight, const Vector& leverage, const Vector& solved_shift,
                           const Context& ctx) {
  const Index p = likelihood.n_params(), n = f.size();
  Vector gradient = Vector::Zero(p);
  if (p == 0) return gradient;
  Vector moved = Vector::Zero(n);  // Z H^-1 Z's
  add_along_span(z, solved_shift, moved, ctx);
  for (Index k = 0; k < p; ++k)
    for (Index i = 0; i < n; ++i) {
      const auto score = [&](double e) {
        Vector all = Vector::Zero(p);
        likelihood.tilted_gradient(observed(y, i), f(i) + e, 0.0, all);
        return all(k);
      };
      gradient(k) += weight(i) * (score(0.0) + 0.5 * leverage(i) * second_difference(score) +
                                  moved(i) * first_difference(score));
      if (i % kRows == 0) ctx.check();
    }
  return gradient;
}

}  // namespace

GreedyEvidence laplace_at_mode(const FitProblem& problem, const Indices& basis,
                               const GreedyMode& mode, bool gradient, const Context& ctx) {
  const Kernel& kernel = problem.kernel;
  const Eigen::Ref<const Matrix> y = problem.responses(0);
  const NewtonState& state = mode.state;
  MatrixIn z = mode.z, l = mode.l, factor = mode.factor;
  const Index m = z.cols(), n = z.rows();
  GreedyEvidence found;
  found.value = -state.objective() - sum_log_diagonal(factor);
  found.mode = state.coordinates();
  if (!gradient) return found;

  const BasisCross cross(kernel, problem.x, basis);
  const Vector weight = problem.cases.weights(n);
  const LatentDerivatives d = derivatives_at(problem.likelihood, y, state.latent(), weight, ctx);
  const Vector leverage = leverages(z, factor, ctx);
  const Vector s = -0.5 * leverage.cwiseProduct(d.third);
  Matrix u = onto_span(z, s, ctx);  // H^-1 Z's
  cholesky_solve(factor, u);
  const Vector& beta = state.coordinates();

  found.likelihood_gradient = likelihood_gradient(problem.likelihood, y, state.latent(), z, weight,
                                                  leverage, u.col(0), ctx);
  found.kernel_gradient = Vector::Zero(kernel.n_params());

  if (m == 0) return found;

  // G_F' = L^-T [-beta c1' - H^-1 Z'W + beta (s - W Z u)' - u c1']
  for (Index begin = 0; begin < n; begin += kRows) {
    const Index rows = std::min(kRows, n - begin);
    WhitenedBlock block(z, factor, begin, rows, ctx.threads);
    const auto w = d.curvature.segment(begin, rows);
    const auto c1 = d.slope.segment(begin, rows);
    Vector z_u(rows);
    gemv(1.0, block.plain, Op::transposed, u.col(0), 0.0, z_u);
    const Vector along = s.segment(begin, rows) - c1 - w.cwiseProduct(z_u);
    Matrix g = -(block.solved * w.asDiagonal());
    g.noalias() += beta * along.transpose();
    g.noalias() -= u.col(0) * c1.transpose();
    trsm(Side::left, Triangle::lower, Op::transposed, l, g, ctx.threads);
    cross.add_gradient(begin, g, found.kernel_gradient);
    ctx.check();
  }

  // G_U = L^-T [I - beta beta' - H^-1 - u beta' - beta u'] L^-1 / 2
  Matrix g = Matrix::Identity(m, m);
  cholesky_solve(factor, g);
  g = -g - beta * beta.transpose() - u.col(0) * beta.transpose() - beta * u.col(0).transpose();
  g.diagonal().array() += 1.0;
  g *= 0.5;
  trsm(Side::left, Triangle::lower, Op::transposed, l, g);
  trsm(Side::right, Triangle::lower, Op::plain, l, g);
  kernel.gram_gradient(cross.points(), g, found.kernel_gradient);
  return found;
}

GreedyEvidence laplace_evidence(const FitProblem& problem, const Indices& basis, VectorIn start,
                                bool gradient, const Context& ctx) {
  const BasisCross cross(problem.kernel, problem.x, basis);
  const Index m = cross.size(), n = problem.x.cols();
  Matrix l(m, m), z(n, m);
  problem.kernel.gram(cross.points(), l);
  cholesky_with_jitter(l, 0.0, ctx.threads);
  for (Index begin = 0; begin < n; begin += kRows) {
    const Index rows = std::min(kRows, n - begin);
    Matrix block = cross.block(begin, rows, ctx.threads);
    trsm(Side::left, Triangle::lower, Op::plain, l, block, ctx.threads);
    z.middleRows(begin, rows) = block.transpose();
    ctx.check();
  }
  NewtonState state(problem.likelihood, problem.responses(0), problem.prior_mean(0), problem.cases);
  state.start_from(z, start.size() == m ? Vector(start) : Vector(Vector::Zero(m)), ctx);
  state.solve(z, kModeTolerance, ctx);
  state.polish(z, kModeTolerance, ctx);
  return laplace_at_mode(problem, basis, {state, z, l, state.laplace_factor(z, ctx)}, gradient,
                         ctx);
}

GreedyEvidence projected_evidence(const FitProblem& problem, const Indices& basis, VectorIn start,
                                  bool trace_term, bool gradient, const Context& ctx) {
  const auto& [kernel, likelihood, x, y, prior_mean, cases] = problem;
  require_responses(problem, x.cols());
  if (problem.machines() != 1)
    throw InvalidSpec("the projected evidence is that of one latent function");
  require_cases(cases, x.cols());
  if (!likelihood.gaussian() || likelihood.warped())
    return laplace_evidence(problem, basis, start, gradient, ctx);
  const Vector centred = y.col(0) - cases.prior_means(y.rows(), prior_mean(0));
  return regression_evidence({kernel, x, centred, likelihood.noise_variance(), cases}, basis,
                             trace_term, gradient, ctx);
}

}  // namespace gpsieve
