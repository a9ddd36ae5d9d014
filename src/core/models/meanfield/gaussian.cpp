#include "models/meanfield/gaussian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "linalg/scratch_matrix.h"
#include "math/constants.h"
#include "models/latent_responses.h"
#include "models/meanfield/cavities.h"
#include "posterior/dense_factor.h"

namespace gpsieve {
namespace {

constexpr Index kInverseColumns = 128;  // columns of L^-1 that are computed together

// The rows whose cavities are wanted, in increasing order.
Indices judged_rows(Index n, const std::vector<bool>& judged) {
  Indices rows;
  for (Index i = 0; i < n; ++i)
    if (judged.empty() || judged[static_cast<std::size_t>(i)]) rows.push_back(i);
  return rows;
}

// [B^-1]_ii = |L^-1 e_i|^2 for the given rows. Column i of L^-1 is zero above row i, so that a
// block of columns needs the factor from its first row on.
Vector inverse_diagonal(MatrixIn factor, const Indices& rows, const Context& ctx) {
  const Index n = factor.rows(), count = static_cast<Index>(rows.size());
  Vector out(count);
  for (Index begin = 0; begin < count; begin += kInverseColumns) {
    const Index columns = std::min(kInverseColumns, count - begin), from = rows[begin];
    ScratchMatrix block(n - from, columns);
    block.setZero();
    for (Index j = 0; j < columns; ++j) block(rows[begin + j] - from, j) = 1.0;
    trsm(Side::left, Triangle::lower, Op::plain, factor.bottomRightCorner(n - from, n - from),
         block, ctx.threads);
    column_squared_norms(block, out.segment(begin, columns));
    ctx.check();
  }
  return out;
}

// The variances of f at the given rows, K_ii - |L^-1 S k_i|^2, from the rows' own columns of K.
Vector variances_at(const Kernel& kernel, Points x, MatrixIn factor, const Vector& scale,
                    const Indices& rows, const Context& ctx) {
  const Index count = static_cast<Index>(rows.size());
  Vector out(count), part(kInverseColumns);
  for (Index begin = 0; begin < count; begin += kInverseColumns) {
    const Index columns = std::min(kInverseColumns, count - begin);
    Matrix own(x.rows(), columns);
    for (Index j = 0; j < columns; ++j) own.col(j) = x.col(rows[begin + j]);
    ScratchMatrix block(x.cols(), columns);
    kernel.cross(x, own, block);
    Vector prior(columns);
    kernel.diagonal(own, prior);
    for (Index j = 0; j < columns; ++j) block(rows[begin + j], j) = prior(j);
    block.array().colwise() *= scale.array();
    trsm(Side::left, Triangle::lower, Op::plain, factor, block, ctx.threads);
    column_squared_norms(block, part.head(columns));
    out.segment(begin, columns) = prior - part.head(columns);
    ctx.check();
  }
  return out;
}

// theory.md (13) and (24) for the given rows: the variance of f at a row without one copy of it.
Vector cavity_variances(const Kernel& kernel, Points x, MatrixIn factor, const Vector& scale,
                        const Vector& copies, double noise, const Indices& rows,
                        const Context& ctx) {
  const Index count = static_cast<Index>(rows.size());
  const Vector inverse = inverse_diagonal(factor, rows, ctx);
  Vector own(x.cols()), cavity(count);
  kernel.diagonal(x, own);
  Indices cancelled, places;
  for (Index j = 0; j < count; ++j) {
    const double precision = scale(rows[j]) * scale(rows[j]), scaled = 1.0 / inverse(j) - 1.0;
    cavity(j) = scaled / precision;
    if (is_cancelled(scaled)) {
      cancelled.push_back(rows[j]);
      places.push_back(j);
    }
  }
  const Vector variance = variances_at(kernel, x, factor, scale, cancelled, ctx);
  for (Index k = 0; k < variance.size(); ++k) {
    const double precision = scale(cancelled[k]) * scale(cancelled[k]);
    cavity(places[k]) = without_site(variance(k), precision);
  }
  for (Index j = 0; j < count; ++j)
    cavity(j) = without_one_copy(cavity(j), copies(rows[j]), 1.0 / noise, own(rows[j]));
  return cavity;
}

}  // namespace

LatentFit fit_gaussian(const FitProblem& data, Index c, const std::vector<bool>& judged,
                       bool keep_factor, const Context& ctx) {
  const Index n = data.x.cols();
  const double noise = data.likelihood.noise_variance(), prior_mean = data.prior_mean(c);
  const Vector copies = data.cases.weights(n);
  const Vector scale = (copies / noise).cwiseSqrt();
  const MatrixIn y = data.responses(c);
  const Vector z = latent_responses(data.likelihood, y);
  const Vector residual = z - data.cases.prior_means(n, prior_mean);
  Trace trace;
  ScratchMatrix factor(n, n);
  dense_factor(data.kernel, data.x, scale, factor, ctx);

  LatentFit fit;
  fit.posterior.basis.resize(static_cast<std::size_t>(n));
  std::iota(fit.posterior.basis.begin(), fit.posterior.basis.end(), Index{0});
  fit.site_rows = fit.posterior.basis;
  Matrix solved = scale.cwiseProduct(residual);
  cholesky_solve(factor, solved, ctx.threads);
  fit.posterior.weights = scale.cwiseProduct(solved.col(0));
  fit.posterior.prior_mean = prior_mean;
  fit.site_precision = copies / noise;
  fit.site_mean = residual;
  // theory.md (35)
  fit.log_evidence = -0.5 * residual.dot(fit.posterior.weights) - sum_log_diagonal(factor) -
                     0.5 * copies.sum() * (kLogTwoPi + std::log(noise)) +
                     sum_log_jacobians(data.likelihood, y, copies);

  const Indices rows = judged_rows(n, judged);
  const Vector variances =
      cavity_variances(data.kernel, data.x, factor, scale, copies, noise, rows, ctx);
  fit.cavity_mean = fit.cavity_variance =
      Vector::Constant(n, std::numeric_limits<double>::quiet_NaN());
  for (Index j = 0; j < variances.size(); ++j) {
    const Index i = rows[j];
    fit.cavity_variance(i) = variances(j);
    fit.cavity_mean(i) = z(i) - (variances(j) + noise) * fit.posterior.weights(i) / copies(i);
  }
  if (keep_factor) {
    fit.posterior.down.factor = factor;
    fit.posterior.down.factor.triangularView<Eigen::StrictlyUpper>().setZero();
    fit.posterior.down.scale = scale;
  } else {
    fit.posterior.dense_scale = scale;
  }
  trace.record({1, fit.log_evidence, n});
  fit.trace = trace.rows();
  ctx.report(1.0, n);
  return fit;
}

}  // namespace gpsieve
