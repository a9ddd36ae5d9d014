#include "models/meanfield/cavities.h"

#include <algorithm>
#include <cmath>

#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "models/meanfield/inverse.h"

namespace gpsieve {
namespace {

// 1 / [B^-1]_ii - room_i = W_i times the new cavity variance. Where that is smaller than this the
// difference has lost too many digits, and the variance is computed from the row's own column.
constexpr double kCancelled = 1e-5;
constexpr Index kColumns = 128;  // such columns treated together

double tail_square(const Matrix& lower, Index j) {
  return lower.col(j).tail(lower.rows() - j).squaredNorm();
}

// S_i = K_ii - |L^-1 W^1/2 k_i|^2 for the given rows; the solver holds L^-1.
Vector variances_by_column(const FieldSolver& solver, const Indices& rows, const Context& ctx) {
  const Matrix& k = solver.problem().k;
  const Index n = k.cols(), count = static_cast<Index>(rows.size());
  Vector out(count);
  Matrix block(n, std::min(kColumns, count));
  for (Index begin = 0; begin < count; begin += kColumns) {
    const Index columns = std::min(kColumns, count - begin);
    auto some = block.leftCols(columns);
    for (Index j = 0; j < columns; ++j)
      some.col(j) = solver.root().cwiseProduct(k.col(rows[begin + j]));
    trmm(Side::left, Triangle::lower, Op::plain, solver.work(), some, ctx.threads);
    auto part = out.segment(begin, columns);
    column_squared_norms(some, part);
    for (Index j = 0; j < columns; ++j) part(j) = k(rows[begin + j], rows[begin + j]) - part(j);
    ctx.check();
  }
  return out;
}

}  // namespace

Vector matching_cavities(FieldSolver& solver, const Context& ctx) {
  solver.invert();
  const Matrix& k = solver.problem().k;
  const Index n = k.cols();
  const Vector room = solver.room(), curvature = solver.root().cwiseAbs2();
  Vector cavity(n);
  Indices few;
  for (Index i = 0; i < n; ++i) {
    const double scaled = 1.0 / tail_square(solver.work(), i) - room(i);
    cavity(i) = scaled / curvature(i);
    if (!(scaled > kCancelled)) few.push_back(i);
  }
  const Vector variance = variances_by_column(solver, few, ctx);
  for (std::size_t j = 0; j < few.size(); ++j) {
    const Index i = few[j];
    const double share = curvature(i) / room(i) * variance(j);
    cavity(i) = variance(j) / std::max(1.0 - share, 1e-16);
  }
  return cavity.cwiseMax(0.0).cwiseMin(k.diagonal());
}

Vector response_variances(const FieldSolver& solver, const Vector& matching) {
  const Vector precision = solver.root().cwiseAbs2().cwiseQuotient(solver.room());
  return matching.array() / (1.0 + precision.array() * matching.array());
}

void factor_with_noise(const Matrix& k, double noise, Matrix& work, const Context& ctx) {
  work = k;
  work.diagonal().array() += noise;
  cholesky_in_place(work, ctx.threads, ctx.poll);
}

Vector ensemble_cavities(const Matrix& k, double noise, Matrix& work, double& half_log_det,
                         const Context& ctx) {
  factor_with_noise(k, noise, work, ctx);
  half_log_det = sum_log_diagonal(work);
  invert_lower_in_place(work, ctx.threads, ctx.poll);
  Vector cavity(k.cols());
  for (Index i = 0; i < cavity.size(); ++i) {
    const double with_noise = std::clamp(1.0 / tail_square(work, i), noise, noise + k(i, i));
    half_log_det -= 0.5 * std::log(with_noise);
    cavity(i) = with_noise - noise;
  }
  return cavity;
}

}  // namespace gpsieve
