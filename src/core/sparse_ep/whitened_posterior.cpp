#include "sparse_ep/whitened_posterior.h"

#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {

// Sites of positive and of negative precision are summed separately, each as a symmetric product.
void NaturalFactor::add_sites(MatrixIn v, VectorIn precision, VectorIn shift, int threads) {
  Matrix scaled = v.array().rowwise() * precision.array().max(0.0).sqrt().transpose();
  syrk(1.0, scaled, Op::plain, 1.0, t, threads);
  if (precision.size() > 0 && precision.minCoeff() < 0.0) {
    scaled = v.array().rowwise() * (-precision.array()).max(0.0).sqrt().transpose();
    syrk(-1.0, scaled, Op::plain, 1.0, t, threads);
  }
  gemv(1.0, v, Op::plain, shift, 1.0, r, threads);
}

void NaturalFactor::combine(double a, double b, const NaturalFactor& other) {
  t = a * t + b * other.t;
  r = a * r + b * other.r;
}

void NaturalFactor::change_coordinates(MatrixIn from_l, MatrixIn to_l, int threads) {
  symmetrise_from_lower(t);
  trsm(Side::left, Triangle::lower, Op::transposed, from_l, t, threads);
  trsm(Side::right, Triangle::lower, Op::plain, from_l, t, threads);
  trmm(Side::left, Triangle::lower, Op::transposed, to_l, t, threads);
  trmm(Side::right, Triangle::lower, Op::plain, to_l, t, threads);
  Matrix column = r;
  trsm(Side::left, Triangle::lower, Op::transposed, from_l, column);
  trmm(Side::left, Triangle::lower, Op::transposed, to_l, column);
  r = column.col(0);
}

WhitenedPosterior WhitenedPosterior::prior(Index m) {
  return {Matrix::Identity(m, m), Vector::Zero(m), 0.0};
}

WhitenedPosterior WhitenedPosterior::from_natural(const NaturalFactor& factor, double exponent,
                                                  int threads) {
  WhitenedPosterior q;
  q.factor = (exponent * factor.t).triangularView<Eigen::Lower>();
  q.factor.diagonal().array() += 1.0;
  cholesky_in_place(q.factor, threads);
  Matrix solved = exponent * factor.r;
  trsm(Side::left, Triangle::lower, Op::plain, q.factor, solved);
  q.log_normaliser = -sum_log_diagonal(q.factor) + 0.5 * solved.squaredNorm();
  trsm(Side::left, Triangle::lower, Op::transposed, q.factor, solved);
  q.mean = solved.col(0);
  return q;
}

void WhitenedPosterior::project(MatrixIn v, Matrix& solved, VectorOut mean_out,
                                VectorOut variance) const {
  solved = v;
  trsm(Side::left, Triangle::lower, Op::plain, factor, solved);
  column_squared_norms(solved, variance);
  gemv(1.0, v, Op::transposed, mean, 0.0, mean_out);
}

Matrix WhitenedPosterior::covariance(int threads) const {
  Matrix inverse = Matrix::Identity(factor.rows(), factor.cols());
  cholesky_solve(factor, inverse, threads);
  return inverse;
}

}  // namespace gpsieve
