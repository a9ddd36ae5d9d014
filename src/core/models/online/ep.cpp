#include "models/online/ep.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "sparse_ep/site.h"

namespace gpsieve {
namespace {

constexpr double kLeastRatio =
    1e-10;  // of cavity precision to marginal precision, r of theory.md (16)

constexpr Index kColumnsPerPoll = 256;

// body(begin, count) for consecutive blocks of n columns.
template <class Body>
void in_column_blocks(Index n, const Poll& poll, const Body& body) {
  for (Index begin = 0; begin < n; begin += kColumnsPerPoll) {
    body(begin, std::min(kColumnsPerPoll, n - begin));
    if (poll) poll();
  }
}

// m += scale v v'. The product is scaled after the multiplication, so that m stays exactly
// symmetric.
void add_square(double scale, const Vector& v, Matrix& m) {
  const Eigen::Map<const Matrix> column(v.data(), v.size(), 1);
  gemm(scale, column, Op::plain, column, Op::transposed, 1.0, m);
}

// The factor of I + T^1/2 K T^1/2, where `root` is the diagonal of T^1/2.
Matrix site_factor(const Matrix& gram, const Vector& root) {
  Matrix b = root.asDiagonal() * gram * root.asDiagonal();
  b.diagonal().array() += 1.0;
  cholesky_in_place(b);
  return b;
}

}  // namespace

OnlineEp::OnlineEp(const Kernel& kernel, const Likelihood& likelihood, Points points,
                   Vector prior_mean, Vector noise, VectorIn site_precision, VectorIn site_shift,
                   const Poll& poll)
    : likelihood_(likelihood),
      prior_mean_(std::move(prior_mean)),
      noise_(std::move(noise)),
      gram_(points.cols(), points.cols()) {
  const Index n = points.cols(), known = site_precision.size();
  bool finite = true;
  in_column_blocks(n, poll, [&](Index begin, Index count) {
    auto columns = gram_.middleCols(begin, count);
    kernel.cross(points, points.middleCols(begin, count), columns);
    finite = finite && columns.allFinite();
  });
  kernel.complete_gram(points, gram_);
  if (!finite || !(gram_.diagonal().array() >= 0.0).all() || !gram_.diagonal().allFinite())
    throw NumericalFailure("the kernel or its variance is not finite");
  tau_ = nu_ = Vector::Zero(n);
  tau_.head(known) = site_precision;
  nu_.head(known) = site_shift;
  if (known > 0) {
    refresh();
  } else {
    sigma_.resize(n, n);
    in_column_blocks(n, poll, [&](Index begin, Index count) {
      sigma_.middleCols(begin, count) = gram_.middleCols(begin, count);
    });
    mu_ = Vector::Zero(n);
  }
}

// A likelihood that is not log-concave may make the cavity or the new site of a row improper; the
// row then keeps its site.
double OnlineEp::visit(Index row, Observed y, bool as_new, double& log_z) {
  const double s = std::max(sigma_(row, row), 0.0), m = mu_(row);
  const double tau = as_new ? 0.0 : tau_(row), nu = as_new ? 0.0 : nu_(row);
  const double ratio = 1.0 - tau * s;
  if (!(ratio > kLeastRatio)) return 0.0;
  const double cavity_variance = s / ratio, cavity_mean = (m - nu * s) / ratio;
  const Tilted tilted =
      likelihood_.tilted(y, cavity_mean + prior_mean_(row), cavity_variance + noise_(row));
  log_z = tilted.log_z;
  const Site site = match_moments(tilted, cavity_mean, cavity_variance);
  const double step = site.precision - tau, spread = 1.0 + step * s;
  if (!std::isfinite(site.precision) || !std::isfinite(site.shift) || !(spread > 0.0)) return 0.0;
  const Vector column = sigma_.col(row);
  const double shift = site.shift - nu;
  mu_ += ((shift - step * m) / spread) * column;
  add_square(-step / spread, column, sigma_);
  tau_(row) += step;
  nu_(row) += shift;
  return std::max(std::abs(step) * s, std::abs(shift) * std::sqrt(s));
}

// theory.md (18). Negative site precisions are left out of the factor and put in one by one, by
// (17).
void OnlineEp::refresh() {
  const Vector root = tau_.cwiseMax(0.0).cwiseSqrt();
  const Matrix factor = site_factor(gram_, root);
  half_log_det_ = sum_log_diagonal(factor);
  Matrix v = root.asDiagonal() * gram_;
  trsm(Side::left, Triangle::lower, Op::plain, factor, v);
  sigma_ = gram_;
  syrk(-1.0, v, Op::transposed, 1.0, sigma_);
  symmetrise_from_lower(sigma_);
  for (Index i = 0; i < tau_.size(); ++i) {
    if (!(tau_(i) < 0.0)) continue;
    const double spread = 1.0 + tau_(i) * sigma_(i, i);
    if (!(spread > 0.0)) throw NotPositiveDefinite(i, spread);
    half_log_det_ += 0.5 * std::log(spread);
    add_square(-tau_(i) / spread, sigma_.col(i), sigma_);
  }
  mu_.resize(tau_.size());
  gemv(1.0, sigma_, Op::plain, nu_, 0.0, mu_);
}

// theory.md (19) over the positive site precisions. The other sites are put in one by one.
void OnlineEp::store(OnlineState& state) const {
  const Index n = tau_.size();
  const Vector root = tau_.cwiseMax(0.0).cwiseSqrt();
  const Matrix factor = site_factor(gram_, root);
  Matrix half = root.asDiagonal();
  trsm(Side::left, Triangle::lower, Op::plain, factor, half);
  state.form = Matrix::Zero(n, n);
  syrk(-1.0, half, Op::transposed, 0.0, state.form);
  symmetrise_from_lower(state.form);
  Matrix scaled = Vector((root.array() > 0.0).select(nu_.array() / root.array(), 0.0));
  trsm(Side::left, Triangle::lower, Op::plain, factor, scaled);
  state.weights = Vector::Zero(n);
  gemv(1.0, half, Op::transposed, scaled.col(0), 0.0, state.weights);
  Vector h(n);
  for (Index i = 0; i < n; ++i) {
    if (tau_(i) > 0.0 || (tau_(i) == 0.0 && nu_(i) == 0.0)) continue;
    gemv(1.0, state.form, Op::plain, gram_.col(i), 0.0, h);
    h(i) += 1.0;
    const double spread = 1.0 + tau_(i) * gram_.col(i).dot(h);
    state.weights += ((nu_(i) - tau_(i) * gram_.col(i).dot(state.weights)) / spread) * h;
    add_square(-tau_(i) / spread, h, state.form);
  }
  state.site_precision = tau_;
  state.site_shift = nu_;
}

double OnlineEp::log_evidence(MatrixIn y, Vector& cavity_mean, Vector& cavity_variance) const {
  const Vector variance = sigma_.diagonal().cwiseMax(0.0);
  const Vector ratio = (1.0 - tau_.array() * variance.array()).max(kLeastRatio);
  cavity_variance = variance.cwiseQuotient(ratio);
  cavity_mean = (mu_ - nu_.cwiseProduct(variance)).cwiseQuotient(ratio);
  double sum = -half_log_det_ + 0.5 * nu_.dot(mu_);
  for (Index i = 0; i < y.rows(); ++i) {
    const double tau = tau_(i), nu = nu_(i), m = cavity_mean(i), v = cavity_variance(i);
    const double spread = 1.0 + tau * v;
    // log Z_i minus the logarithm of the cavity expectation of the site.
    sum += likelihood_.tilted(observed(y, i), m + prior_mean_(i), v + noise_(i)).log_z +
           0.5 * std::log(spread) - (nu * m + 0.5 * nu * nu * v - 0.5 * tau * m * m) / spread;
  }
  cavity_mean += prior_mean_;
  return sum;
}

}  // namespace gpsieve
