// The factorisation P = Q T of the active columns while columns are appended and removed.
#include "check.h"
#include "models/rvm/active_set.h"
#include "models/rvm/column_space.h"
#include "models/rvm/posterior.h"

using namespace gpsieve;

namespace {

double distance(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

// Columns of which the last is the sum of the first two.
Matrix columns_with_a_sum(Index rows, Index count) {
  Matrix p = Matrix::NullaryExpr(rows, count, [](Index i, Index j) {
    return std::sin(static_cast<double>(1 + i * (j + 2))) + 0.1 * static_cast<double>(j);
  });
  p.col(count - 1) = p.col(0) + p.col(1);
  return p;
}

// Q is private. It is orthonormal if T reproduces the inner products of P with itself and with v.
void check_factorisation_of(const RvmColumnSpace& space, const Matrix& p) {
  const Matrix t = space.coordinates();
  CHECK(space.size() == p.cols());
  CHECK(distance(t.transpose() * t, p.transpose() * p) < 1e-11);
  const Vector v = Vector::LinSpaced(p.rows(), -1.0, 2.0);
  CHECK(distance(t.transpose() * space.project(v, 1), p.transpose() * v) < 1e-11);
}

}  // namespace

TEST(rvm_column_space_keeps_inner_products_and_counts_dimensions) {
  const Matrix p = columns_with_a_sum(40, 6);
  RvmColumnSpace space;
  space.assign(p, 1);
  check_factorisation_of(space, p);
  CHECK(space.dimension() == 5 || space.coordinates().row(5).cwiseAbs().maxCoeff() < 1e-12);
  space.append(Vector::Zero(40), 1);
  CHECK(space.size() == 7);
  CHECK(space.coordinates().col(6).cwiseAbs().maxCoeff() == 0.0);
}

TEST(rvm_column_space_follows_removals_and_reordering) {
  Matrix p = columns_with_a_sum(60, 50);
  RvmColumnSpace space;
  space.assign(p, 1);
  Indices some(44);
  for (Index j = 0; j < 44; ++j) some[j] = (7 * j + 3) % 50;
  space.keep(some);
  Matrix rest(60, static_cast<Index>(some.size()));
  for (Index j = 0; j < rest.cols(); ++j) rest.col(j) = p.col(some[j]);
  check_factorisation_of(space, rest);
  space.append(p.col(45), 1);
  rest.conservativeResize(Eigen::NoChange, rest.cols() + 1);
  rest.rightCols(1) = p.col(45);
  check_factorisation_of(space, rest);
  // Far fewer columns than dimensions: the factorisation is cleared.
  space.keep({0, 1});
  CHECK(space.size() == 0);
}

TEST(rvm_column_space_never_has_more_dimensions_than_rows) {
  const Matrix p = columns_with_a_sum(5, 12);
  RvmColumnSpace space;
  space.assign(p, 1);
  CHECK(space.dimension() <= 5);
  check_factorisation_of(space, p);
}

TEST(rvm_posterior_by_the_column_space_is_that_by_the_columns) {
  const Matrix p = columns_with_a_sum(80, 12);
  const Vector alpha = Vector::LinSpaced(12, 0.01, 3.0), y = Vector::LinSpaced(80, -1.0, 1.0);
  RvmColumnSpace space;
  space.assign(p, 1);
  RvmPosterior by_columns, by_space;
  by_columns.factorise_by_qr(p, 100.0, alpha, 1);
  by_space.factorise_by_qr(space.coordinates(), 100.0, alpha, 1);
  CHECK_NEAR(by_space.half_log_det(), by_columns.half_log_det(), 1e-12);
  CHECK(distance(by_space.variances(), by_columns.variances()) < 1e-11);
  CHECK(distance(by_space.mean_by_qr(space.project(y, 1)), by_columns.mean_by_qr(y)) < 1e-11);
}
