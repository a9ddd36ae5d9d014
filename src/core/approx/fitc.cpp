#include "approx/fitc.h"

#include "approx/point_blocks.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {

WhitenedPosterior WhitenedPosterior::prior(Index m) {
  return {Matrix::Identity(m, m), Vector::Zero(m), 0.0};
}

WhitenedPosterior WhitenedPosterior::from_natural(const Matrix& t, const Vector& b, int threads) {
  WhitenedPosterior q;
  q.factor = t.triangularView<Eigen::Lower>();
  q.factor.diagonal().array() += 1.0;
  cholesky_in_place(q.factor, threads);
  Matrix solved = b;
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
  for_point_blocks(n, m, threads, ctx, [&](Index begin, Index end) {
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

}  // namespace gpsieve
