#include "models/greedy/regression.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace gpsieve {
namespace {

// A candidate whose curvature is this small a share of its norm has nothing of its own to add.
constexpr double kInSpan = 1e-12;
// Smallest pivot of K_BB, relative to k(x, x). A function with a smaller one changes no function
// value by more than the root of it.
constexpr double kKernelPivot = 1e-13;
// A pivot more negative than this, relative to k(x, x) and beyond its rounding, shows that K_BB is
// not positive semi-definite.
constexpr double kNegativePivot = 1e-6;
// Errors of the kernel's values and of their sums, relative to k(x, x).
constexpr double kKernelError = 1e-15;
// What orthogonalisation may leave of a column before rounding is all there is.
constexpr double kNothingLeft = 1e-15;

// The rounding error of the pivot prior - |row|^2 of a function: what errors of the kernel matrix
// become in the difference of the function and its regression R^-1 row on the others.
double pivot_error(MatrixIn factor, MatrixIn row, double prior) {
  Matrix regression = row;
  trsm(Side::left, Triangle::lower, Op::transposed, factor, regression);
  const double terms = 1.0 + regression.cwiseAbs().sum();
  return kKernelError * prior * terms * terms;
}

double gain_of(double slope, double curvature, double norm, bool used) {
  return used || !(curvature > kInSpan * norm) ? -1.0 : 0.5 * slope * slope / curvature;
}

}  // namespace

GreedyRegression::GreedyRegression(const BoundKernel& kernel, VectorIn y, double noise,
                                   Index capacity, bool track_residual_kernel)
    : basis_(kernel, capacity),
      kernel_factor_(capacity),
      lower_part_(capacity),
      noise_(noise),
      y_(y),
      fitted_(Vector::Zero(y.size())),
      residual_(y),
      coordinates_(Vector::Zero(capacity)) {
  if (track_residual_kernel) {
    residual_kernel_ = basis_.diagonal();
    to_whitened_ = Matrix::Zero(capacity, capacity);
  }
}

// The sums over rows, and what they consist of: V'k_j, k_j'r and |k_j|^2 of every candidate.
struct GreedyRegression::CandidateSums {
  CandidateSums(Index m, Index c, double* numbers)
      : across(numbers, m, c), slopes(numbers + m * c, c), norms(numbers + (m + 1) * c, c) {}
  Eigen::Map<Matrix> across;
  Eigen::Map<Vector> slopes, norms;
};

Vector GreedyRegression::gains(const Indices& candidates, const Context& ctx) const {
  return in_groups(candidates, [&](const Indices& some) { return gains_of(some, ctx); });
}

Vector GreedyRegression::gains_of(const Indices& candidates, const Context& ctx) const {
  const Index c = static_cast<Index>(candidates.size()), m = size();
  Vector numbers = basis_.sum_over_kernel_rows(
      candidates, (m + 2) * c, static_cast<double>(c * (m + 2)), ctx,
      [&](Index begin, MatrixOut block, VectorOut sums) {
        CandidateSums of(m, c, sums.data());
        const Index rows = block.rows();
        if (m > 0)
          gemm(1.0, basis_.columns().middleRows(begin, rows), Op::transposed, block, Op::plain, 0.0,
               of.across);
        gemv(1.0, block, Op::transposed, residual_.segment(begin, rows), 0.0, of.slopes);
        column_squared_norms(block, of.norms);
      });
  CandidateSums of(m, c, numbers.data());
  require_finite_kernel(of.norms, &candidates);
  Vector explained(c);
  for (Index t = 0; t < c; ++t) of.across.col(t) += noise_ * basis_.row(candidates[t]);
  column_squared_norms(of.across, explained);
  Vector gains(c);
  for (Index t = 0; t < c; ++t) {
    const Index j = candidates[t];
    const double norm = of.norms(t) + noise_ * basis_.diagonal()(j);
    gains(t) =
        gain_of(of.slopes(t) - noise_ * fitted_(j), norm - explained(t), norm, basis_.contains(j));
  }
  return gains;
}

bool GreedyRegression::add(Index j, const Context& ctx) {
  const Index m = size();
  Vector projection;
  Vector v = basis_.kernel_column(j, Vector(), ctx, &projection);
  // The new row of the factor of K_BB.
  Matrix row(m, 1);
  for (Index i = 0; i < m; ++i) row(i, 0) = v(basis_.chosen()[i]);
  trsm(Side::left, Triangle::lower, Op::plain, kernel_factor_.factor(), row);
  const double prior = basis_.diagonal()(j), pivot = prior - row.squaredNorm();
  const double error = pivot_error(kernel_factor_.factor(), row, prior);
  if (pivot < -kNegativePivot * prior - error) throw NotPositiveDefinite(m, pivot);
  if (!(pivot > kKernelPivot * prior + error)) return false;
  const double pivot_root = std::sqrt(pivot), s = std::sqrt(noise_);

  // [v; u] is the new column of [K_B; s R], made orthogonal to [V; U] twice: once loses half the
  // digits when A is ill-conditioned.
  Vector u = s * row.col(0), w = Vector::Zero(m);
  const double last = s * pivot_root;
  const double before = v.squaredNorm() + u.squaredNorm() + last * last;
  for (int pass = 0; pass < 2 && m > 0; ++pass) {
    Vector w_pass = projection;
    gemv(1.0, lower_part_.factor(), Op::plain, u, 1.0, w_pass);
    basis_.subtract(w_pass, v, ctx, pass == 0 ? &projection : nullptr);
    gemv(-1.0, lower_part_.factor(), Op::transposed, w_pass, 1.0, u);
    w += w_pass;
  }
  const double left = v.squaredNorm() + u.squaredNorm() + last * last;
  if (!(left > kNothingLeft * before)) return false;
  const double root = std::sqrt(left);

  if (to_whitened_.size() > 0) {  // the next column of L'R^-1 and of the incomplete Cholesky factor
    Vector next = w;
    gemv(-1.0, to_whitened_.topLeftCorner(m, m), Op::plain, row.col(0), 1.0, next);
    to_whitened_.col(m).head(m) = next / pivot_root;
    to_whitened_(m, m) = root / pivot_root;
  }
  kernel_factor_.append(row.col(0), pivot_root);
  lower_part_.append(u / root, last / root);
  basis_.append(j, v, w, root);
  const auto column = basis_.columns().col(m);
  coordinates_(m) = column.dot(y_);
  fitted_ += coordinates_(m) * column;
  residual_ -= coordinates_(m) * column;
  objective_ -= 0.5 * coordinates_(m) * coordinates_(m);
  if (to_whitened_.size() > 0) {
    Vector whitened = Vector::Zero(basis_.rows());
    basis_.subtract(-to_whitened_.col(m).head(m + 1), whitened, ctx);
    residual_kernel_ = (residual_kernel_ - whitened.cwiseAbs2()).cwiseMax(0.0);
    residual_kernel_(j) = 0.0;
  }
  return true;
}

Vector GreedyRegression::weights() const {
  Matrix b = coordinates_.head(size());
  trsm(Side::left, Triangle::lower, Op::transposed, basis_.factor(), b);
  return b.col(0);
}

FullPool::FullPool(const GreedyRegression& engine, VectorIn y, const KernelOperator& kernel,
                   const Context& ctx)
    : kernel_(kernel),
      norm_(kernel.column_squared_norms(ctx) + engine.noise() * engine.basis().diagonal()),
      curvature_(norm_),
      slope_(kernel.times(y, ctx)) {}

Vector FullPool::gains(const GreedyRegression& engine) const {
  Vector gains(norm_.size());
  for (Index j = 0; j < gains.size(); ++j)
    gains(j) = gain_of(slope_(j), curvature_(j), norm_(j), engine.basis().contains(j));
  return gains;
}

void FullPool::update(const GreedyRegression& engine, const Context& ctx) {
  const Vector v = engine.last_column();
  const Vector t = kernel_.times(v, ctx) + engine.noise() * v;
  curvature_ -= t.cwiseAbs2();
  slope_ -= engine.last_coordinate() * t;
}

}  // namespace gpsieve
