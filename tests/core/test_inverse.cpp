// Inverses in place, and factorisations that poll for an interrupt.
#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "check.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "models/meanfield/inverse.h"

using namespace gpsieve;

namespace {

// Lower triangular with NaN above the diagonal, which no routine may read.
Matrix lower_factor(Index n, std::uint64_t seed) {
  Rng rng(seed);
  Matrix l = Matrix::Constant(n, n, std::numeric_limits<double>::quiet_NaN());
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i)
      l(i, j) =
          i == j ? 1.5 + rng.uniform() : (rng.uniform() - 0.5) / std::sqrt(static_cast<double>(n));
  return l;
}

Matrix lower(const Matrix& a) {
  Matrix out = Matrix::Zero(a.rows(), a.cols());
  out.triangularView<Eigen::Lower>() = a;
  return out;
}

bool same_lower(const Matrix& a, const Matrix& b) { return lower(a) == lower(b); }

double distance(const Matrix& a, const Matrix& b) {
  return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff();
}

const std::vector<Index> kSizes{0, 1, 2, 63, 64, 65, 130, 257};

}  // namespace

TEST(a_triangular_inverse_undoes_its_factor) {
  for (const Index n : kSizes) {
    const Matrix l = lower_factor(n, 1);
    Matrix inverse = l;
    invert_lower_in_place(inverse);
    CHECK(distance(lower(l) * lower(inverse), Matrix::Identity(n, n)) < 1e-13);
    for (Index j = 1; j < n; ++j) CHECK(std::isnan(inverse(0, j)));
  }
}

TEST(a_gram_in_place_is_the_product) {
  for (const Index n : kSizes) {
    const Matrix l = lower_factor(n, 2);
    Matrix gram = l;
    gram_of_lower_in_place(gram);
    CHECK(distance(lower(gram), lower(lower(l).transpose() * lower(l))) < 1e-12);
    for (Index j = 1; j < n; ++j) CHECK(std::isnan(gram(0, j)));
  }
}

TEST(threads_and_polls_change_no_bit_of_factors_and_inverses) {
  const Index n = 1300;  // several strips of the largest steps
  const Matrix l = lower_factor(n, 3);
  Matrix a(n, n);
  syrk(1.0, lower(l), Op::plain, 0.0, a);
  Matrix factor = a, inverse = l, gram = l;
  cholesky_in_place(factor);
  invert_lower_in_place(inverse);
  gram_of_lower_in_place(gram);
  for (const int threads : {1, 2, 3}) {
    int polls = 0;
    const Poll poll = [&polls] { ++polls; };
    Matrix other = a;
    cholesky_in_place(other, threads, poll);
    CHECK(same_lower(other, factor));
    other = l;
    invert_lower_in_place(other, threads, poll);
    CHECK(same_lower(other, inverse));
    other = l;
    gram_of_lower_in_place(other, threads, poll);
    CHECK(same_lower(other, gram));
    CHECK(polls > 3 * 20);
  }
}

TEST(a_poll_that_throws_stops_the_work) {
  struct Stop {};
  const Poll poll = [] { throw Stop(); };
  Matrix l = lower_factor(200, 4);
  CHECK_THROWS(cholesky_in_place(l, 1, poll), Stop);
  CHECK_THROWS(invert_lower_in_place(l, 1, poll), Stop);
  CHECK_THROWS(gram_of_lower_in_place(l, 1, poll), Stop);
}
