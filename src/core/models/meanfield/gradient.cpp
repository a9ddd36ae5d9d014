#include "models/meanfield/gradient.h"

#include <algorithm>
#include <functional>

#include "base/parallel.h"
#include "linalg/products.h"
#include "linalg/scratch_matrix.h"
#include "models/meanfield/cavities.h"
#include "models/meanfield/inverse.h"

namespace gpsieve {
namespace {

constexpr Index kGradientColumns = 64;  // columns of A that are formed together

// A = (M - u u' + g u' + u g') / 2 of theory.md (18), in blocks. block(begin, end, out) gives the
// rows from `begin` on of the columns from `begin` to `end` of M. An empty g stands for zero.
struct Adjoint {
  std::function<void(Index begin, Index end, MatrixOut out)> block;
  Vector u, g;

  // Rows from `begin` on of columns begin..end of 2 A.
  void columns(Index begin, Index end, MatrixOut out) const {
    const Index rows = out.rows(), count = out.cols();
    block(begin, end, out);
    out.noalias() -= u.tail(rows) * u.segment(begin, count).transpose();
    if (g.size() > 0) {
      out.noalias() += g.tail(rows) * u.segment(begin, count).transpose();
      out.noalias() += u.tail(rows) * g.segment(begin, count).transpose();
    }
  }
};

// sum_ij A_ij dK_ij / d theta from the lower triangle, every element below the diagonal twice;
// `diagonal` receives A_ii.
Vector through_kernel(const Kernel& kernel, Points x, const Adjoint& adjoint, Vector& diagonal,
                      const Context& ctx) {
  const Index n = x.cols(), blocks = (n + kGradientColumns - 1) / kGradientColumns;
  const int threads = kernel.usable_threads(std::max(1, ctx.threads));
  Matrix parts = Matrix::Zero(kernel.n_params(), blocks);
  diagonal.resize(n);
  for (Index some = 0; some < blocks; some += threads) {
    parallel_blocks(threads, std::min<Index>(threads, blocks - some), 1, [&](Index b, Index) {
      const Index begin = (some + b) * kGradientColumns,
                  end = std::min(n, begin + kGradientColumns);
      ScratchMatrix twice(n - begin, end - begin);
      adjoint.columns(begin, end, twice);
      diagonal.segment(begin, end - begin) = 0.5 * twice.diagonal();
      twice.topRows(end - begin).triangularView<Eigen::Upper>().setZero();
      kernel.cross_gradient(x.rightCols(n - begin), x.middleCols(begin, end - begin), twice,
                            parts.col(some + b));
    });
    ctx.check();
  }
  Vector grad = parts.rowwise().sum();
  kernel.diagonal_gradient(x, diagonal, grad);
  return grad;
}

// M = R of theory.md (9) from the lower triangle of B^-1 in the work space.
auto response_block(const FieldSolver& solver) {
  return [&solver](Index begin, Index end, MatrixOut out) {
    const Vector& root = solver.root();
    const Index rows = out.rows();
    for (Index j = begin; j < end; ++j)
      out.col(j - begin) = root(j) * root.tail(rows).cwiseProduct(solver.work().col(j).tail(rows));
  };
}

// g of theory.md (20), and V and W' from which it is made.
struct ModeShift {
  Vector variance, curvature_slope, g;
};
ModeShift mode_shift(FieldSolver& solver, const Context& ctx) {
  const FieldProblem& problem = solver.problem();
  const Index n = problem.y.rows();
  ModeShift shift;
  shift.variance = response_variances(solver, matching_cavities(solver, ctx));
  shift.curvature_slope.resize(n);
  for (Index i = 0; i < n; ++i)
    shift.curvature_slope(i) = -problem.likelihood.third_derivative(
        observed(problem.y, i), solver.point().mean(i) + problem.prior_means(i));
  const Vector b =
      0.5 * problem.copies.cwiseProduct(shift.variance).cwiseProduct(shift.curvature_slope);
  Vector carried(n);
  gemv(1.0, problem.k, Op::transposed, b, 0.0, carried, ctx.threads);
  carried = solver.root().cwiseProduct(carried);
  solver.apply_inverse(carried);
  shift.g = b - solver.root().cwiseProduct(carried);
  return shift;
}

// dF / d log v of a probit with noise v under Laplace's method. log p is a function of f / sqrt(v),
// so that d / d log v is -f / 2 d / df at fixed f; the last term is the movement of the mode.
double step_noise_gradient(const FieldSolver& solver, const ModeShift& shift, const Context& ctx) {
  const FieldProblem& problem = solver.problem();
  const FieldPoint& point = solver.point();
  const auto f = point.mean.array() + problem.prior_means.array();
  const auto slope = point.slope.array(), curvature = point.curvature.array();
  Vector moved(f.size());
  gemv(1.0, problem.k, Op::transposed, shift.g, 0.0, moved, ctx.threads);
  return 0.5 * (problem.copies.array() *
                (f * slope -
                 shift.variance.array() * (curvature + 0.5 * f * shift.curvature_slope.array()) -
                 moved.array() * (slope - f * curvature)))
                   .sum();
}

// The derivative of -sum log Z_i at fixed u and s: all of it where F is stationary in u and s.
Vector explicit_gradient(const FieldSolver& solver) {
  const FieldProblem& problem = solver.problem();
  Vector sum = Vector::Zero(problem.likelihood.n_params()), own(sum.size());
  for (Index i = 0; own.size() > 0 && i < problem.y.rows(); ++i) {
    problem.likelihood.tilted_gradient(observed(problem.y, i),
                                       solver.point().mean(i) + problem.prior_means(i),
                                       solver.cavity_variance()(i), own);
    sum -= problem.copies(i) * own;
  }
  return sum;
}

// Puts N = (K + v I)^-1 of theory.md (19), with case weights (29), into `work`, in full, and
// returns the vector w of (19).
Vector ensemble_matrices(FieldSolver& solver, MatrixOut work, const Context& ctx) {
  const double noise = solver.problem().likelihood.step_noise();
  const Vector with_noise = solver.cavity_variance().array() + noise;
  solver.release();
  factor_with_noise(solver.problem().k, noise, solver.problem().copies, work, ctx);
  invert_lower_in_place(work, ctx.threads, ctx.poll);
  gram_of_lower_in_place(work, ctx.threads, ctx.poll);
  symmetrise_from_lower(work);
  return with_noise.array() * (1.0 - solver.point().curvature.array() * with_noise.array());
}

}  // namespace

Vector field_gradient(const Kernel& kernel, Points x, FieldSolver& solver, MatrixOut work,
                      FieldMethod method, const Context& ctx) {
  const Likelihood& likelihood = solver.problem().likelihood;
  const FieldPoint& point = solver.point();
  const Vector& w = solver.problem().copies;
  const double noise = likelihood.step_noise();
  if (likelihood.gaussian()) method = FieldMethod::tap;
  Adjoint adjoint{response_block(solver), solver.coefficients(), Vector()};
  Vector by_likelihood, diagonal, variance;
  if (method == FieldMethod::naive) {
    adjoint.block = [&](Index begin, Index, MatrixOut out) {
      out.setZero();
      out.diagonal() = w.cwiseProduct(point.curvature).segment(begin, out.cols());
    };
    by_likelihood = explicit_gradient(solver);
  } else if (method == FieldMethod::ensemble) {
    variance = ensemble_matrices(solver, work, ctx);
    adjoint.block = [&](Index begin, Index end, MatrixOut out) {
      const Index count = end - begin;
      const Matrix weighted =
          variance.cwiseQuotient(w).asDiagonal() * work.middleCols(begin, count);
      out = work.block(begin, begin, out.rows(), count);
      gemm(-1.0, work.bottomRows(out.rows()), Op::plain, weighted, Op::plain, 1.0, out);
    };
  } else {
    solver.invert();
    if (method == FieldMethod::laplace) {
      const ModeShift shift = mode_shift(solver, ctx);
      adjoint.g = shift.g;
      by_likelihood = Vector::Zero(likelihood.n_params());
      if (noise > 0.0) by_likelihood(0) = step_noise_gradient(solver, shift, ctx);
    } else if (!likelihood.gaussian()) {
      by_likelihood = explicit_gradient(solver);
    }
    gram_of_lower_in_place(work, ctx.threads, ctx.poll);
  }
  const Vector by_kernel = through_kernel(kernel, x, adjoint, diagonal, ctx);
  // A noise variance v on the diagonal of K: that of Gaussian noise, or v of the probit in the
  // ensemble. theory.md (30)
  const double trace = diagonal.cwiseQuotient(w).sum();
  if (likelihood.gaussian()) {
    // The parameters of a warped response have an effect on the log densities alone.
    by_likelihood = likelihood.warped() ? explicit_gradient(solver) : Vector(1);
    by_likelihood(0) = trace / point.curvature(0) + 0.5 * (w.array() - 1.0).sum();
  }
  if (method == FieldMethod::ensemble)
    by_likelihood = Vector::Constant(
        1, noise * trace + 0.5 * ((w.array() - 1.0) * (1.0 - variance.array() / noise)).sum());
  solver.release();
  Vector grad(by_kernel.size() + by_likelihood.size());
  grad << -by_kernel, -by_likelihood;
  return grad;
}

}  // namespace gpsieve
