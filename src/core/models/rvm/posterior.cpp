#include "models/rvm/posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Beyond this condition number Cholesky's answers have no digit left that is sure.
constexpr double kLargestCondition = 1e13;
constexpr double kSmallestAlpha = 1e-300, kLargestAlpha = 1e300;

Vector inverse_roots(VectorIn alpha) {
  return alpha.cwiseMax(kSmallestAlpha).cwiseMin(kLargestAlpha).cwiseSqrt().cwiseInverse();
}

// Largest absolute row sum of a symmetric matrix given by its lower triangle.
double row_sum_norm(MatrixIn lower) {
  Vector sums = Vector::Zero(lower.rows());
  for (Index j = 0; j < lower.cols(); ++j) {
    sums(j) += std::abs(lower(j, j));
    for (Index i = j + 1; i < lower.rows(); ++i) {
      const double size = std::abs(lower(i, j));
      sums(i) += size;
      sums(j) += size;
    }
  }
  return sums.maxCoeff();
}

[[noreturn]] void throw_not_finite() {
  throw NumericalFailure("a precision of the relevance vector machine is not finite");
}

bool try_cholesky(Matrix& a, int threads) {
  try {
    cholesky_in_place(a, threads);
  } catch (const NotPositiveDefinite&) {
    return false;
  }
  a.triangularView<Eigen::StrictlyUpper>().setZero();
  return true;
}

}  // namespace

bool RvmPosterior::factor(MatrixIn information, VectorIn alpha, int threads) {
  orthogonal_.resize(0, 0);
  scale_ = inverse_roots(alpha);
  const Index m = size();
  root_.resize(m, m);
  for (Index j = 0; j < m; ++j) {
    root_.col(j).tail(m - j) =
        information.col(j).tail(m - j).cwiseProduct(scale_.tail(m - j)) * scale_(j);
    root_(j, j) += 1.0;
  }
  if (m == 0) {
    finish(threads);
    return true;
  }
  const double norm = row_sum_norm(root_);
  if (!std::isfinite(norm)) throw_not_finite();
  if (!try_cholesky(root_, threads)) return false;
  finish(threads);
  // The largest diagonal entry of B^-1 bounds its norm from below, up to the factor of the size.
  return norm * (1.0 - gamma_.minCoeff()) <= kLargestCondition;
}

// Cholesky QR, three rounds, the first one shifted (Fukaya et al. 2020): all the work is in
// products. A = [P D w; I], A'A = B, and A = Q L' with L = L1 L2 L3.
void RvmPosterior::factor_by_qr(MatrixIn p, double weight, VectorIn alpha, int threads) {
  scale_ = inverse_roots(alpha);
  weight_root_ = std::sqrt(weight);
  const Index m = size(), n = p.rows();
  Matrix a(n + m, m);
  a.topRows(n) = p * (weight_root_ * scale_).asDiagonal();
  a.bottomRows(m).setIdentity();
  Matrix gram(m, m);
  for (int round = 0; round < 3; ++round) {
    syrk(1.0, a, Op::transposed, 0.0, gram, threads);
    if (round == 0) {
      const Matrix plain = gram;
      double shift = 10.0 * static_cast<double>(m) * kEpsilon * gram.diagonal().maxCoeff();
      for (;; shift *= 10.0) {
        if (!std::isfinite(shift)) throw_not_finite();
        gram.diagonal().array() += shift;
        if (try_cholesky(gram, threads)) break;
        gram = plain;
      }
      root_ = gram;
    } else {
      cholesky_in_place(gram, threads);
      gram.triangularView<Eigen::StrictlyUpper>().setZero();
      trmm(Side::right, Triangle::lower, Op::plain, gram, root_, threads);
    }
    trsm(Side::right, Triangle::lower, Op::transposed, gram, a, threads);
  }
  orthogonal_ = a.topRows(n);
  finish(threads);
}

void RvmPosterior::finish(int threads) {
  const Index m = size();
  Matrix inverse = Matrix::Identity(m, m);
  trsm(Side::left, Triangle::lower, Op::plain, root_, inverse, threads);
  Vector diagonal(m);  // of B^-1
  column_squared_norms(inverse, diagonal);
  gamma_ = 1.0 - diagonal.array();
  variances_ = diagonal.cwiseProduct(scale_.cwiseAbs2());
  half_log_det_ = sum_log_diagonal(root_);
}

Vector RvmPosterior::solve(VectorIn v) const {
  Matrix out = scale_.cwiseProduct(v);
  cholesky_solve(root_, out);
  return scale_.cwiseProduct(out.col(0));
}

void RvmPosterior::half_solve(MatrixOut v, int threads) const {
  v.array().colwise() *= scale_.array();
  trsm(Side::left, Triangle::lower, Op::plain, root_, v, threads);
}

Vector RvmPosterior::solve_by_qr(VectorIn t) const {
  Vector projected(size());
  gemv(weight_root_, orthogonal_, Op::transposed, t, 0.0, projected);
  Matrix out = projected;
  trsm(Side::left, Triangle::lower, Op::transposed, root_, out);
  return scale_.cwiseProduct(out.col(0));
}

}  // namespace gpsieve
