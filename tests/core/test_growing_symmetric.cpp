// A symmetric matrix that grows and shrinks is the one that is built anew each time.
#include "base/rng.h"
#include "check.h"
#include "models/online/growing_symmetric.h"

using namespace gpsieve;

TEST(growing_symmetric_is_the_matrix_built_anew) {
  Rng rng(1);
  const auto random = [&](Index n) {
    Vector v(n);
    for (Index i = 0; i < n; ++i) v(i) = rng.uniform() - 0.5;
    return v;
  };
  for (const Index capacity : {Index{0}, Index{3}, Index{200}}) {
    GrowingSymmetric grown(Matrix(0, 0), capacity);
    Matrix plain(0, 0);
    for (int step = 0; step < 300; ++step) {
      const Index n = plain.rows();
      if (n > 0 && step % 4 == 3) {
        const Index j = rng.below(n);
        const auto old = [j](Index i) { return i < j ? i : i + 1; };
        const Vector column = without(grown.column(j), j);
        Matrix smaller(n - 1, n - 1);
        for (Index b = 0; b < n - 1; ++b) {
          CHECK(column(b) == plain(old(b), j));
          for (Index a = 0; a < n - 1; ++a) smaller(a, b) = plain(old(a), old(b));
        }
        plain = smaller;
        grown.remove(j);
      } else {
        const Vector column = random(n);
        plain.conservativeResizeLike(Matrix::Zero(n + 1, n + 1));
        plain.col(n).head(n) = column;
        plain.row(n).head(n) = column.transpose();
        plain(n, n) = 0.5;
        grown.append(column, 0.5);
      }
      const Vector a = random(plain.rows()), b = random(plain.rows());
      plain += 0.3 * a * a.transpose() - a * b.transpose() - b * a.transpose();
      grown.add_square(0.3, a);
      grown.subtract_product(a, b);
      CHECK((grown.block() - plain).cwiseAbs().maxCoeff() < 1e-11);
      CHECK(grown.block() == grown.block().transpose());
      plain = grown.block();
    }
  }
}

TEST(growing_symmetric_takes_products_of_any_size) {
  GrowingSymmetric m(Matrix::Identity(3, 3), 3);
  const Vector tiny = Vector::Constant(3, 1e-200), large = Vector::Constant(3, 1e200);
  m.subtract_product(tiny, large);
  CHECK_NEAR(m.block()(0, 1), -2.0, 1e-12);
  m.subtract_product(Vector::Zero(3), large);
  CHECK(m.block().allFinite());
}

TEST(growing_symmetric_adds_several_squares_at_once) {
  Rng rng(2);
  const auto random = [&](Index rows, Index columns) {
    Matrix m(rows, columns);
    for (Index i = 0; i < m.size(); ++i) m.data()[i] = rng.uniform() - 0.5;
    return m;
  };
  for (const Index n : {Index{1}, Index{7}, Index{90}}) {
    const Matrix half = random(n, n), start = half + half.transpose();
    for (const Index columns : {Index{1}, Index{32}}) {
      const Matrix v = random(n, columns);
      GrowingSymmetric together(start, n + 3), apart(start, n);
      const GrowingSymmetric again = GrowingSymmetric::from_lower(together.lower(), n, n + 1);
      CHECK(again.block() == together.block());
      together.add_squares(-0.7, v);
      for (Index j = 0; j < columns; ++j) apart.add_square(-0.7, v.col(j));
      CHECK((together.block() - apart.block()).cwiseAbs().maxCoeff() < 1e-13);
      CHECK(together.block() == together.block().transpose());
    }
  }
}
