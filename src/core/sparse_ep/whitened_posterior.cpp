#include "sparse_ep/whitened_posterior.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "linalg/blocked.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr Index kColumnsPerBlock = 256;  // of v, which stay in the cache

// body(first column, columns) over the columns of v, each of which costs about m^2 multiply-adds.
template <class Body>
void in_column_blocks(MatrixIn v, int threads, const Body& body) {
  threads = useful_threads(threads, volume(v.rows(), v.rows(), v.cols()));
  parallel_blocks(threads, v.cols(), kColumnsPerBlock,
                  [&](Index begin, Index end) { body(begin, end - begin); });
}

}  // namespace

// Sites of positive and of negative precision are summed separately, each as a symmetric product of
// their own columns: where few are negative their product costs little.
void NaturalFactor::add_sites(MatrixIn v, VectorIn precision, VectorIn shift, int threads) {
  const auto add = [&](double sign) {
    Indices columns;
    for (Index i = 0; i < precision.size(); ++i)
      if (sign * precision(i) > 0.0) columns.push_back(i);
    if (columns.empty()) return;
    Matrix scaled(v.rows(), static_cast<Index>(columns.size()));
    in_column_blocks(scaled, threads, [&](Index begin, Index count) {
      for (Index j = begin; j < begin + count; ++j)
        scaled.col(j) = std::sqrt(sign * precision(columns[j])) * v.col(columns[j]);
    });
    syrk(sign, scaled, Op::plain, 1.0, t, threads);
  };
  add(1.0);
  add(-1.0);
  gemv(1.0, v, Op::plain, shift, 1.0, r, threads);
}

double NaturalFactor::combine(double a, double b, const NaturalFactor& other) {
  double largest = 0.0;
  const auto add = [&](Eigen::Ref<Vector> own, VectorIn more) {
    double change = 0.0;
    for (Index i = 0; i < own.size(); ++i) {
      const double sum = a * own(i) + b * more(i);
      change = std::max(change, std::abs(sum - own(i)));
      own(i) = sum;
    }
    largest = std::max(largest, change);
  };
  for (Index j = 0; j < t.cols(); ++j)
    add(t.col(j).tail(t.rows() - j), other.t.col(j).tail(t.rows() - j));
  add(r, other.r);
  return largest;
}

double NaturalFactor::largest() const {
  double out = r.cwiseAbs().maxCoeff();
  for (Index j = 0; j < t.cols(); ++j)
    out = std::max(out, t.col(j).tail(t.rows() - j).cwiseAbs().maxCoeff());
  return out;
}

void NaturalFactor::change_coordinates(MatrixIn from_l, MatrixIn to_l, int threads) {
  Matrix change = to_l;  // A
  trsm(Side::left, Triangle::lower, Op::plain, from_l, change, threads);
  symmetrise_from_lower(t);
  trmm(Side::right, Triangle::lower, Op::plain, change, t, threads);
  trmm(Side::left, Triangle::lower, Op::transposed, change, t, threads);
  Matrix column = r;
  trmm(Side::left, Triangle::lower, Op::transposed, change, column);
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

void WhitenedPosterior::project(MatrixIn v, Matrix& solved, VectorOut mean_out, VectorOut variance,
                                int threads) const {
  solved.resize(v.rows(), v.cols());
  in_column_blocks(v, threads, [&](Index begin, Index count) {
    auto part = solved.middleCols(begin, count);
    part = v.middleCols(begin, count);
    trsm(Side::left, Triangle::lower, Op::plain, factor, part);
    column_squared_norms(part, variance.segment(begin, count));
    gemv(1.0, v.middleCols(begin, count), Op::transposed, mean, 0.0,
         mean_out.segment(begin, count));
  });
}

Matrix WhitenedPosterior::covariance(int threads) const {
  Matrix inverse = Matrix::Identity(factor.rows(), factor.cols());
  cholesky_solve(factor, inverse, threads);
  return inverse;
}

}  // namespace gpsieve
