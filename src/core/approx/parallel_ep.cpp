#include "approx/parallel_ep.h"

#include <algorithm>
#include <cmath>

#include "approx/point_blocks.h"
#include "approx/site.h"
#include "base/error.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr double kImproperCavity = 1e-10;  // least share of the precision a cavity must keep
constexpr double kSkippedShare = 0.1;
constexpr double kSmallestStep = 1.0 / 64.0;

// Lower triangle of V diag(tau) V'. Positive and negative sites are summed apart, each by syrk.
Matrix weighted_gram(const Matrix& v, const Vector& tau, const Context& ctx) {
  const Index m = v.rows(), n = v.cols(), stride = kPointsPerBlock * blocks_per_poll(m);
  Matrix sum = Matrix::Zero(m, m), scaled;
  const bool mixed = tau.size() > 0 && tau.minCoeff() < 0.0;
  for (Index begin = 0; begin < n; begin += stride) {
    const Index rows = std::min(stride, n - begin);
    const auto block = v.middleCols(begin, rows);
    const auto weight = tau.segment(begin, rows).array();
    scaled = block.array().rowwise() * weight.max(0.0).sqrt().transpose();
    syrk(1.0, scaled, Op::plain, 1.0, sum, ctx.threads);
    if (mixed) {
      scaled = block.array().rowwise() * (-weight).max(0.0).sqrt().transpose();
      syrk(-1.0, scaled, Op::plain, 1.0, sum, ctx.threads);
    }
    ctx.check();
  }
  return sum;
}

void require_finite(const Vector& variance, const Vector& mean, Index begin) {
  if (variance.allFinite() && mean.allFinite()) return;
  for (Index j = 0; j < mean.size(); ++j)
    if (!std::isfinite(variance(j)) || !std::isfinite(mean(j)))
      throw NumericalFailure("the kernel or its variance is not finite at row " +
                             std::to_string(begin + j + 1));
}

}  // namespace

EpState EpState::empty(Index n, Index m) {
  return {Vector::Zero(n), Vector::Zero(n), WhitenedPosterior::prior(m)};
}

EpState EpState::from_sites(const Fitc& fitc, VectorIn precision, VectorIn shift,
                            const Context& ctx) {
  Vector b(fitc.whitened().rows());
  gemv(1.0, fitc.whitened(), Op::plain, shift, 0.0, b, ctx.threads);
  return {precision, shift,
          WhitenedPosterior::from_natural(weighted_gram(fitc.whitened(), precision, ctx), b,
                                          ctx.threads)};
}

EpPass look(const Fitc& fitc, const Likelihood& likelihood, VectorIn y, double prior_mean,
            const EpState& state, const Context& ctx) {
  const Matrix& v = fitc.whitened();
  const Index n = v.cols();
  const bool at_prior = state.precision.isZero(0.0) && state.shift.isZero(0.0);
  EpPass pass;
  for (Vector* each : {&pass.variance, &pass.mean, &pass.cavity_variance, &pass.cavity_mean,
                       &pass.d1, &pass.d2, &pass.precision, &pass.shift})
    each->resize(n);
  Vector energy(n);
  Eigen::Array<bool, Eigen::Dynamic, 1> skipped(n);

  for_point_blocks(n, v.rows(), ctx.threads, ctx, [&](Index begin, Index end) {
    const Index rows = end - begin;
    const auto block = v.middleCols(begin, rows);
    auto variance = pass.variance.segment(begin, rows);
    auto mean = pass.mean.segment(begin, rows);
    if (at_prior) {
      column_squared_norms(block, variance);
      mean.setZero();
    } else {
      Matrix solved = block;
      trsm(Side::left, Triangle::lower, Op::plain, state.q.factor, solved);
      column_squared_norms(solved, variance);
      gemv(1.0, block, Op::transposed, state.q.mean, 0.0, mean);
    }
    for (Index i = begin; i < end; ++i) {
      const double room = 1.0 - state.precision(i) * pass.variance(i);
      skipped(i) = !(room > kImproperCavity);
      const double safe = skipped(i) ? 1.0 : room;
      pass.cavity_variance(i) = pass.variance(i) / safe;
      pass.cavity_mean(i) = (pass.mean(i) - pass.variance(i) * state.shift(i)) / safe;
    }
    // The likelihood sees f_i, whose residual variance s_i is independent of w.
    const Vector of_f =
        pass.cavity_variance.segment(begin, rows) + fitc.residual().segment(begin, rows);
    const Vector shifted = pass.cavity_mean.segment(begin, rows).array() + prior_mean;
    require_finite(of_f, shifted, begin);
    Vector log_z(rows);
    likelihood.tilted(y.segment(begin, rows), shifted, of_f, log_z, pass.d1.segment(begin, rows),
                      pass.d2.segment(begin, rows));
    for (Index i = begin; i < end; ++i) {
      const double tau = state.precision(i), nu = state.shift(i);
      const double mean_c = pass.cavity_mean(i), var_c = pass.cavity_variance(i);
      // EP's log Z without cancellation: log Z_i minus the log cavity expectation of the site.
      const double spread = 1.0 + tau * var_c;
      energy(i) = log_z(i - begin) + 0.5 * std::log(spread) -
                  (nu * mean_c + 0.5 * nu * nu * var_c - 0.5 * tau * mean_c * mean_c) / spread;
      const Site site = match_moments({log_z(i - begin), pass.d1(i), pass.d2(i)}, mean_c, var_c);
      skipped(i) = skipped(i) || !(-pass.d2(i) * var_c < 1.0) || !std::isfinite(site.precision) ||
                   !std::isfinite(site.shift);
      pass.precision(i) = skipped(i) ? tau : site.precision;
      pass.shift(i) = skipped(i) ? nu : site.shift;
    }
  });
  pass.log_evidence = state.q.log_normaliser + energy.sum();
  pass.skipped = skipped.count();
  return pass;
}

void step(const Fitc& fitc, const EpPass& pass, EpState& state, const Context& ctx) {
  const double n = static_cast<double>(state.precision.size());
  double share = static_cast<double>(pass.skipped) > kSkippedShare * n ? 0.5 : 1.0;
  for (;; share *= 0.5) {
    const Vector tau = state.precision + share * (pass.precision - state.precision);
    const Vector nu = state.shift + share * (pass.shift - state.shift);
    try {
      state = EpState::from_sites(fitc, tau, nu, ctx);
      return;
    } catch (const NotPositiveDefinite&) {
      if (share <= kSmallestStep) throw;
    }
  }
}

bool parallel_ep(const Fitc& fitc, const Likelihood& likelihood, VectorIn y, double prior_mean,
                 const EpOptions& options, EpState& state, EpPass& last, const Context& ctx) {
  for (int pass = 0; pass < options.max_passes; ++pass) {
    last = look(fitc, likelihood, y, prior_mean, state, ctx);
    // In units of the marginals: how far a site moved, seen from a posterior of variance v_i.
    const auto v = last.variance.array();
    const bool converged =
        options.tolerance > 0.0 &&
        ((last.precision - state.precision).array().abs() * v <= options.tolerance).all() &&
        ((last.shift - state.shift).array().abs() * v.sqrt() <= options.tolerance).all();
    step(fitc, last, state, ctx);
    ctx.report(static_cast<double>(pass + 1) / options.max_passes, fitc.whitened().rows());
    if (converged) return true;
  }
  return false;
}

}  // namespace gpsieve
