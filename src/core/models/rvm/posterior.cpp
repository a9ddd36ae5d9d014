#include "models/rvm/posterior.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

// Largest condition number of B for which its Cholesky factor is used.
constexpr double kLargestCondition = 1e13;
constexpr double kAlphaFloor = 1e-300, kAlphaCeiling = 1e300;
constexpr int kPlainRounds = 2, kMostQrRounds = 20;

Vector standard_deviations(VectorIn alpha) {
  return alpha.cwiseMax(kAlphaFloor).cwiseMin(kAlphaCeiling).cwiseSqrt().cwiseInverse();
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

[[noreturn]] void throw_dependent() {
  throw NumericalFailure("the basis functions of the relevance vector machine are dependent");
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

// Cholesky factor of the Gram matrix with the smallest shift of its diagonal for which it exists.
Matrix shifted_cholesky(const Matrix& gram, int threads) {
  const double first =
      10.0 * static_cast<double>(gram.rows()) * kEpsilon * gram.diagonal().maxCoeff();
  for (double shift = first;; shift *= 10.0) {
    if (!std::isfinite(shift)) throw_not_finite();
    Matrix factor = gram;
    factor.diagonal().array() += shift;
    if (try_cholesky(factor, threads)) return factor;
  }
}

}  // namespace

bool RvmPosterior::factorise(MatrixIn information, VectorIn alpha, int threads) {
  orthogonal_.resize(0, 0);
  prior_sd_ = standard_deviations(alpha);
  const Index m = size();
  factor_.resize(m, m);
  for (Index j = 0; j < m; ++j) {
    factor_.col(j).tail(m - j) =
        information.col(j).tail(m - j).cwiseProduct(prior_sd_.tail(m - j)) * prior_sd_(j);
    factor_(j, j) += 1.0;
  }
  if (m == 0) {
    update_marginals(threads);
    return true;
  }
  const double norm = row_sum_norm(factor_);
  if (!std::isfinite(norm)) throw_not_finite();
  if (!try_cholesky(factor_, threads)) return false;
  update_marginals(threads);
  // The largest diagonal entry of B^-1, which is 1 - min gamma, is a lower bound of its norm.
  return norm * (1.0 - gamma_.minCoeff()) <= kLargestCondition;
}

// Shifted Cholesky QR (Fukaya et al. 2020), which consists of matrix products: with
// A = [sqrt(weight) P D; I] and B = A'A it ends in A = Q L', L = L1 L2 ... The first round is
// shifted, and so is each later one whose Gram matrix is still singular to working precision; two
// rounds without a shift make Q orthogonal.
void RvmPosterior::factorise_by_qr(MatrixIn p, double weight, VectorIn alpha, int threads) {
  prior_sd_ = standard_deviations(alpha);
  weight_root_ = std::sqrt(weight);
  const Index m = size(), n = p.rows();
  Matrix a(n + m, m);
  a.topRows(n) = p * (weight_root_ * prior_sd_).asDiagonal();
  a.bottomRows(m).setIdentity();
  Matrix gram(m, m);
  int plain = 0;
  for (int round = 0; plain < kPlainRounds; ++round) {
    if (round == kMostQrRounds) throw_dependent();
    syrk(1.0, a, Op::transposed, 0.0, gram, threads);
    Matrix factor = gram;
    if (round > 0 && try_cholesky(factor, threads)) {
      ++plain;
    } else {
      factor = shifted_cholesky(gram, threads);
      plain = 0;
    }
    if (round == 0)
      factor_ = factor;
    else
      trmm(Side::right, Triangle::lower, Op::plain, factor, factor_, threads);
    trsm(Side::right, Triangle::lower, Op::transposed, factor, a, threads);
  }
  orthogonal_ = a.topRows(n);
  update_marginals(threads);
}

// diag(B^-1) from the columns of L^-1; gamma and the variances of the weights follow from it.
void RvmPosterior::update_marginals(int threads) {
  const Index m = size();
  Matrix inverse = Matrix::Identity(m, m);
  trsm(Side::left, Triangle::lower, Op::plain, factor_, inverse, threads);
  Vector diagonal(m);
  column_squared_norms(inverse, diagonal);
  gamma_ = 1.0 - diagonal.array();
  variances_ = diagonal.cwiseProduct(prior_sd_.cwiseAbs2());
  half_log_det_ = sum_log_diagonal(factor_);
}

Vector RvmPosterior::covariance_times(VectorIn v) const {
  Matrix out = v;
  multiply_by_covariance(out, 1);
  return out.col(0);
}

void RvmPosterior::multiply_by_covariance(MatrixOut v, int threads) const {
  v.array().colwise() *= prior_sd_.array();
  cholesky_solve(factor_, v, threads);
  v.array().colwise() *= prior_sd_.array();
}

void RvmPosterior::whiten(MatrixOut v, int threads) const {
  v.array().colwise() *= prior_sd_.array();
  trsm(Side::left, Triangle::lower, Op::plain, factor_, v, threads);
}

Vector RvmPosterior::mean_by_qr(VectorIn t) const {
  Vector projected(size());
  gemv(weight_root_, orthogonal_, Op::transposed, t, 0.0, projected);
  Matrix out = projected;
  trsm(Side::left, Triangle::lower, Op::transposed, factor_, out);
  return prior_sd_.cwiseProduct(out.col(0));
}

}  // namespace gpsieve
