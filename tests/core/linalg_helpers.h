// Random operands, naive products and comparisons for the tests of linear algebra.
#ifndef GPSIEVE_TESTS_LINALG_HELPERS_H
#define GPSIEVE_TESTS_LINALG_HELPERS_H

#include <limits>

#include "isa_helpers.h"
#include "linalg/products.h"

namespace linalg_helpers {

using namespace gpsieve;

constexpr int kShapes = 500;
constexpr double kTolerance = 1e-12;

inline Matrix applied(Op op, MatrixIn a) {
  return op == Op::plain ? Matrix(a) : Matrix(a.transpose());
}

inline Matrix triangle_of(Triangle triangle, MatrixIn t) {
  Matrix out = t;
  for (Index j = 0; j < t.cols(); ++j)
    for (Index i = 0; i < t.rows(); ++i)
      if (triangle == Triangle::lower ? i < j : i > j) out(i, j) = 0.0;
  return out;
}

inline Matrix naive_product(MatrixIn a, MatrixIn b) {
  Matrix c = Matrix::Zero(a.rows(), b.cols());
  for (Index j = 0; j < c.cols(); ++j)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index i = 0; i < c.rows(); ++i) c(i, j) += a(i, p) * b(p, j);
  return c;
}

inline void check_near(MatrixIn a, MatrixIn b, double tolerance = kTolerance) {
  CHECK(a.rows() == b.rows() && a.cols() == b.cols());
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < a.rows(); ++i) CHECK_NEAR(a(i, j), b(i, j), tolerance);
}

inline Op any_op(Rng& rng) { return rng.below(2) ? Op::plain : Op::transposed; }

// Mostly small, often at the edge of a tile or a block, sometimes empty, now and then large.
inline Index any_size(Rng& rng) {
  const Index edges[] = {0, 1, 4, 8, 12, 24, 25, 48, 63, 64, 65};
  const Index kind = rng.below(10);
  return kind < 3 ? edges[rng.below(11)] : kind < 9 ? rng.below(50) : rng.below(150);
}
inline Index any_depth(Rng& rng) { return rng.below(6) ? any_size(rng) : 200 + rng.below(400); }

inline double any_factor(Rng& rng) {
  const double factors[] = {0.0, 1.0, -1.0, 0.7};
  return factors[rng.below(4)];
}

struct Factor {
  Matrix t;
  Side side;
  Triangle triangle;
  Op op;
};

// A well-conditioned triangular factor whose other half holds NaN: nobody may look at it.
inline Factor any_factor_matrix(Rng& rng, Index n) {
  Factor f{random_matrix(rng, n, n), rng.below(2) ? Side::left : Side::right,
           rng.below(2) ? Triangle::lower : Triangle::upper, any_op(rng)};
  f.t /= std::max<double>(1.0, static_cast<double>(n));
  f.t.diagonal().array() += 2.0;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      if (f.triangle == Triangle::lower ? i < j : i > j)
        f.t(i, j) = std::numeric_limits<double>::quiet_NaN();
  return f;
}

inline Matrix positive_definite(Rng& rng, Index n) {
  const Matrix a = random_matrix(rng, n, n);
  Matrix out = a * a.transpose() / std::max<double>(1.0, static_cast<double>(n));
  out.diagonal().array() += 1.0;
  return out;
}

}  // namespace linalg_helpers

#endif
