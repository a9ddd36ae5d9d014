#include "models/meanfield/coarse_start.h"

#include <cmath>

#include "base/error.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr Index kStride = 4;     // one of so many rows
constexpr Index kFewRows = 256;  // that are cheap without a start
constexpr double kTolerance = 0.1;
constexpr double kLeastPriorShare = 1e-6;  // of the prior variance that a cavity variance starts at

// What fewer rows say about all of them.
struct Fields {
  Vector mean, variance;  // of the cavities
};

template <class Values>
Values chosen(const Values& values, Index count) {
  using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  return Eigen::Map<const Values, Eigen::Unaligned, Stride>(values.data(), count, values.cols(),
                                                            Stride(values.rows(), kStride));
}

// The predictions of a solution on every kStride-th row; for these rows their cavities. Three parts
// of `work` that do not overlap hold the matrices.
Fields fields_from_fewer_rows(const FieldProblem& all, MatrixOut work,
                              const MeanfieldOptions& options, const Context& ctx) {
  const Index n = all.y.rows(), count = n / kStride;
  MatrixOut small_work = work.topLeftCorner(count, count), k = work.block(0, count, count, count);
  MatrixOut cross = work.bottomRows(count);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < count; ++i) cross(i, j) = all.k(i * kStride, j);
  for (Index j = 0; j < count; ++j) k.col(j) = cross.col(j * kStride);
  FieldSolver solver({k, all.likelihood, chosen(all.y, count), all.prior_mean,
                      chosen(all.prior_means, count), chosen(all.copies, count)},
                     small_work, ctx);
  start_from_fewer_rows(solver, small_work, options, ctx);
  solve_fields(solver, small_work, options, ctx);
  solver.factor();

  Fields out{Vector(n), Vector(n)};
  gemv(1.0, cross, Op::transposed, solver.coefficients(), 0.0, out.mean, ctx.threads);
  cross = solver.root().asDiagonal() * cross;
  trsm(Side::left, Triangle::lower, Op::plain, small_work, cross, ctx.threads);
  column_squared_norms(cross, out.variance);
  out.variance = all.k.diagonal() - out.variance;
  for (Index i = 0; i < count; ++i) {
    out.mean(i * kStride) = solver.point().mean(i);
    out.variance(i * kStride) = solver.cavity_variance()(i);
  }
  out.variance = out.variance.cwiseMax(kLeastPriorShare * all.k.diagonal());
  return out;
}

}  // namespace

void start_from_fewer_rows(FieldSolver& solver, MatrixOut work, const MeanfieldOptions& options,
                           const Context& ctx) {
  if (solver.problem().y.rows() < kFewRows || solver.problem().likelihood.gaussian()) return;
  const Vector weights = solver.point().weights, cavity = solver.cavity_variance();
  Context silent = ctx;
  silent.progress = nullptr;
  MeanfieldOptions loose = options;
  loose.tol = kTolerance;
  solver.release();
  try {
    const Fields fields = fields_from_fewer_rows(solver.problem(), work, loose, silent);
    solver.set_cavities(fields.variance);
    solver.start_from_means(fields.mean);
    if (std::isfinite(solver.point().residual)) return;
  } catch (const NumericalFailure&) {
  } catch (const NotPositiveDefinite&) {
  }
  solver.release();
  solver.set_cavities(cavity);
  solver.start_from(weights);
}

}  // namespace gpsieve
