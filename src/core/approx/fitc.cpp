#include "approx/fitc.h"

#include <algorithm>
#include <cmath>

#include "approx/site.h"
#include "base/error.h"
#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr Index kColumns = 256;             // points per block of V: one unit of threaded work
constexpr Index kBlocksPerPoll = 8;
constexpr double kImproperCavity = 1e-10;   // least share of the variance a cavity must leave
constexpr double kSkippedShare = 0.1;
constexpr double kSmallestStep = 1.0 / 64.0;

// body(begin, end) over blocks of points, with a chance to interrupt in between.
template <class Body>
void for_blocks(Index n, int threads, const Context& ctx, const Body& body) {
  const Index stride = kColumns * kBlocksPerPoll * std::max(1, threads);
  for (Index begin = 0; begin < n; begin += stride) {
    parallel_blocks(threads, std::min(stride, n - begin), kColumns,
                    [&](Index from, Index to) { body(begin + from, begin + to); });
    ctx.check();
  }
}

// Lower triangle of V diag(tau) V'. Positive and negative sites are summed apart, each by syrk.
Matrix weighted_gram(const Matrix& v, const Vector& tau, const Context& ctx) {
  const Index m = v.rows(), n = v.cols(), stride = kColumns * kBlocksPerPoll;
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

}  // namespace

WhitenedPosterior whitened_posterior(const Matrix& precision, const Vector& shift, int threads) {
  WhitenedPosterior q;
  q.factor = precision.triangularView<Eigen::Lower>();
  q.factor.diagonal().array() += 1.0;
  cholesky_in_place(q.factor, threads);
  Matrix solved = shift;
  trsm(Side::left, Triangle::lower, Op::plain, q.factor, solved);
  q.log_normaliser = -sum_log_diagonal(q.factor) + 0.5 * solved.squaredNorm();
  trsm(Side::left, Triangle::lower, Op::transposed, q.factor, solved);
  q.mean = solved.col(0);
  return q;
}

Fitc::Fitc(const Kernel& kernel, Points inducing, Points x, double jitter, const Context& ctx) {
  const Index m = inducing.cols(), n = x.cols();
  l_.resize(m, m);
  kernel.gram(inducing, l_);
  jitter_ = cholesky_with_jitter(l_, jitter, ctx.threads);
  v_.resize(m, n);
  s_.resize(n);
  const int threads = kernel.thread_safe() ? ctx.threads : 1;
  for_blocks(n, threads, ctx, [&](Index begin, Index end) {
    const auto points = x.middleCols(begin, end - begin);
    auto v = v_.middleCols(begin, end - begin);
    auto s = s_.segment(begin, end - begin);
    kernel.cross(inducing, points, v);
    trsm(Side::left, Triangle::lower, Op::plain, l_, v);
    Vector explained(end - begin);
    kernel.diagonal(points, s);
    column_squared_norms(v, explained);
    s = (s - explained).cwiseMax(0.0);
  });
}

SparsePosterior Fitc::posterior(const WhitenedPosterior& q, double prior_mean) const {
  SparsePosterior posterior;
  posterior.prior_mean = prior_mean;
  Matrix weights = q.mean;
  trsm(Side::left, Triangle::lower, Op::transposed, l_, weights);
  posterior.weights = weights.col(0);
  posterior.down.factor = l_;
  // C^-1 L^-1 = (L C)^-1, and L C is lower triangular.
  posterior.up.factor = q.factor.triangularView<Eigen::Lower>();
  trmm(Side::left, Triangle::lower, Op::plain, l_, posterior.up.factor);
  return posterior;
}

EpSites parallel_ep(const Fitc& fitc, const Likelihood& likelihood, VectorIn y, double prior_mean,
                    int passes, WhitenedPosterior& q, const Context& ctx) {
  const Matrix& v = fitc.whitened();
  const Index m = v.rows(), n = v.cols();
  EpSites sites;
  sites.precision = Vector::Zero(n);
  sites.shift = Vector::Zero(n);
  sites.cavity_mean.resize(n);
  sites.cavity_variance.resize(n);
  sites.log_evidence = 0.0;
  q.factor = Matrix::Identity(m, m);
  q.mean = Vector::Zero(m);
  q.log_normaliser = 0.0;

  Vector precision(n), shift(n), energy(n);
  Eigen::Array<bool, Eigen::Dynamic, 1> improper(n);
  for (int pass = 0; pass < passes; ++pass) {
    const bool prior = pass == 0;
    for_blocks(n, ctx.threads, ctx, [&](Index begin, Index end) {
      const Index rows = end - begin;
      const auto block = v.middleCols(begin, rows);
      Vector variance(rows), mean(rows), cavity_variance(rows), cavity_mean(rows);
      if (prior) {
        column_squared_norms(block, variance);
        mean.setZero();
      } else {
        Matrix solved = block;
        trsm(Side::left, Triangle::lower, Op::plain, q.factor, solved);
        column_squared_norms(solved, variance);
        gemv(1.0, block, Op::transposed, q.mean, 0.0, mean);
      }
      // Cavities of v_i' w, then of f_i, whose residual variance s_i is independent of w.
      for (Index j = 0; j < rows; ++j) {
        const Index i = begin + j;
        const double tau = sites.precision(i), room = 1.0 - tau * variance(j);
        improper(i) = !(room > kImproperCavity);
        const double safe = improper(i) ? 1.0 : room;
        cavity_variance(j) = variance(j) / safe;
        cavity_mean(j) = (mean(j) - variance(j) * sites.shift(i)) / safe;
      }
      const Vector of_f = cavity_variance + fitc.residual().segment(begin, rows);
      const Vector shifted = cavity_mean.array() + prior_mean;
      Vector log_z(rows), d1(rows), d2(rows);
      likelihood.tilted(y.segment(begin, rows), shifted, of_f, log_z, d1, d2);
      for (Index j = 0; j < rows; ++j) {
        const Index i = begin + j;
        sites.cavity_mean(i) = cavity_mean(j);
        sites.cavity_variance(i) = of_f(j);
        const double tau = sites.precision(i), nu = sites.shift(i);
        // log Z of EP without cancellation: each term is log Z_i minus the log cavity expectation
        // of the present site.
        const double spread = 1.0 + tau * cavity_variance(j);
        energy(i) = log_z(j) + 0.5 * std::log(spread) -
                    (nu * cavity_mean(j) + 0.5 * nu * nu * cavity_variance(j) -
                     0.5 * tau * cavity_mean(j) * cavity_mean(j)) / spread;
        const Site site = match_moments({log_z(j), d1(j), d2(j)}, cavity_mean(j), cavity_variance(j));
        const bool usable = !improper(i) && std::isfinite(site.precision) && std::isfinite(site.shift);
        improper(i) = !usable;
        precision(i) = usable ? site.precision : tau;
        shift(i) = usable ? site.shift : nu;
      }
    });
    sites.log_evidence = q.log_normaliser + energy.sum();
    sites.skipped = improper.count();

    double step = static_cast<double>(sites.skipped) > kSkippedShare * static_cast<double>(n) ? 0.5 : 1.0;
    for (;; step *= 0.5) {
      const Vector tau = sites.precision + step * (precision - sites.precision);
      const Vector nu = sites.shift + step * (shift - sites.shift);
      Vector b(m);
      gemv(1.0, v, Op::plain, nu, 0.0, b, ctx.threads);
      try {
        q = whitened_posterior(weighted_gram(v, tau, ctx), b, ctx.threads);
        sites.precision = tau;
        sites.shift = nu;
        break;
      } catch (const NotPositiveDefinite&) {
        if (step <= kSmallestStep) throw;
      }
    }
    ctx.report(static_cast<double>(pass + 1) / passes, m);
  }
  return sites;
}

}  // namespace gpsieve
