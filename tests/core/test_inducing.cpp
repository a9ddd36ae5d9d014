// Inducing inputs, Gaussians over whitened values and rows in their coordinates.
#include <algorithm>
#include <numeric>

#include "check.h"
#include "ep_helpers.h"

using namespace gpsieve;
using dense::check_near;

static NaturalFactor some_factor(Index m, Index n, std::uint64_t seed) {
  NaturalFactor factor = NaturalFactor::uniform(m);
  const Matrix v = dense::points(m, n, seed);
  factor.add_sites(v, v.row(0).transpose().cwiseAbs(), v.row(1).transpose(), 1);
  return factor;
}

TEST(whitening_has_the_residual_and_factor_of_its_definition) {
  const Matrix z = dense::points(2, 12, 1), x = dense::points(2, 700, 2);
  const auto kernel = dense::rbf();
  const Inducing inducing(*kernel, z, 1e-8, 1);
  const Matrix& l = inducing.factor();
  CHECK_NEAR(inducing.jitter(), 1e-8 * dense::diagonal(*kernel, z).mean(), 1e-20);
  const Matrix k_uu = ep::gram_with_jitter(inducing);
  CHECK((l * l.transpose() - k_uu).cwiseAbs().maxCoeff() < 1e-12);
  CHECK(l.triangularView<Eigen::StrictlyUpper>().toDenseMatrix().isZero(0.0));
  Matrix v(12, 700);
  Vector s(700);
  inducing.whiten(x, v, s);
  const Matrix k_uf = dense::cross(*kernel, z, x);
  CHECK((l * v - k_uf).cwiseAbs().maxCoeff() < 1e-12);
  const Vector explained = k_uf.cwiseProduct(k_uu.inverse() * k_uf).colwise().sum();
  check_near(s, dense::diagonal(*kernel, x) - explained, 1e-8);
  CHECK((s.array() >= 0.0).all());
  // Where the inducing inputs are rows, the residual is the jitter's and never negative.
  const Inducing own(*kernel, x.leftCols(50), 1e-10, 1);
  Matrix own_v(50, 50);
  Vector own_s(50);
  own.whiten(x.leftCols(50), own_v, own_s);
  CHECK((own_s.array() >= 0.0).all() && own_s.maxCoeff() < 1e-6);
}

TEST(the_jitter_is_raised_where_inducing_inputs_repeat) {
  Matrix z = dense::points(2, 12, 1);
  z.rightCols(6) = z.leftCols(6);
  const auto kernel = dense::rbf(1e4);
  const Inducing inducing(*kernel, z, 0.0, 1);
  CHECK(inducing.jitter() > 0.0 && inducing.jitter() <= 1e-2 * 1e4 * (1.0 + 1e-12));
  Matrix v(12, 30);
  Vector s(30);
  inducing.whiten(dense::points(2, 30, 2), v, s);
  CHECK(v.allFinite() && (s.array() >= 0.0).all());
}

TEST(the_posterior_follows_explicit_formulas) {
  const Matrix z = dense::points(2, 10, 3), x = dense::points(2, 300, 4);
  const Matrix at = dense::points(2, 40, 5);
  const auto kernel = dense::rbf();
  const Inducing inducing(*kernel, z, 1e-8, 1);
  Matrix v(10, 300);
  Vector s(300);
  inducing.whiten(x, v, s);
  Vector tau = x.row(0).transpose().array().exp(), nu = x.row(1).transpose();
  for (const bool some_negative : {false, true}) {
    if (some_negative) tau.head(20) *= -1e-2;
    NaturalFactor factor = NaturalFactor::uniform(10);
    factor.add_sites(v, tau, nu, 1);
    const auto q = WhitenedPosterior::from_natural(factor, 1.0, 1);
    const auto got = dense::predict(*kernel, z, inducing.posterior(q, 0.3), at);
    const auto want = dense::fitc(ep::gram_with_jitter(inducing), dense::cross(*kernel, z, x), tau,
                                  nu, dense::cross(*kernel, z, at), dense::diagonal(*kernel, at));
    check_near(got.mean, want.mean.array() + 0.3, 1e-8);
    check_near(got.variance, want.variance, 1e-8);
  }
}

TEST(a_power_of_a_factor_gives_its_mean_covariance_and_normaliser) {
  const NaturalFactor factor = some_factor(9, 30, 6);
  const Matrix along = dense::points(9, 5, 7);
  for (const double exponent : {1.0, 0.9, 0.0}) {
    const auto q = WhitenedPosterior::from_natural(factor, exponent, 1);
    const Matrix precision = Matrix::Identity(9, 9) + exponent * ep::full(factor);
    const Matrix covariance = precision.inverse();
    const Vector b = exponent * factor.r;
    // g(T, b) = -log|I + T| / 2 + b' (I + T)^-1 b / 2
    CHECK_NEAR(q.log_normaliser,
               -0.5 * std::log(precision.determinant()) + 0.5 * b.dot(covariance * b), 1e-10);
    check_near(q.mean, covariance * b, 1e-10);
    ep::check_near(q.covariance(1), covariance, 1e-10);
    Matrix solved;
    Vector mean(5), variance(5);
    q.project(along, solved, mean, variance);
    check_near(mean, along.transpose() * covariance * b, 1e-10);
    check_near(variance, (along.transpose() * covariance * along).diagonal(), 1e-10);
  }
  CHECK(WhitenedPosterior::prior(4).log_normaliser == 0.0);
}

TEST(sites_of_shards_add_up_to_those_of_all_rows) {
  const Matrix v = dense::points(20, 1000, 8);
  Vector tau = v.row(0).transpose().array().exp();
  const Vector nu = v.row(1).transpose();
  for (const bool some_negative : {false, true}) {
    if (some_negative) tau.head(100) *= -1.0;
    NaturalFactor all = NaturalFactor::uniform(20), sum = all, apart = all;
    all.add_sites(v, tau, nu, 1);
    const Index ends[] = {0, 137, 500, 900, 1000};
    for (int shard_number = 0; shard_number < 4; ++shard_number) {
      const Index begin = ends[shard_number], size = ends[shard_number + 1] - begin;
      NaturalFactor shard = NaturalFactor::uniform(20);
      shard.add_sites(v.middleCols(begin, size), tau.segment(begin, size), nu.segment(begin, size),
                      1);
      sum.combine(1.0, 1.0, shard);
      apart.add_sites(v.middleCols(begin, size), tau.segment(begin, size), nu.segment(begin, size),
                      2);
    }
    ep::check_near(sum, all, 1e-12);
    ep::check_near(apart, all, 1e-12);
    const Matrix direct = v * tau.asDiagonal() * v.transpose();
    CHECK((ep::full(all) - direct).cwiseAbs().maxCoeff() < 1e-11 * direct.cwiseAbs().maxCoeff());
  }
}

TEST(a_change_of_coordinates_and_back_is_no_change) {
  const Index m = 8;
  const auto one = dense::rbf(1.5, 1.0), two = dense::rbf(0.4, 0.6);
  const Matrix z = dense::points(2, m, 9);
  const Inducing from(*one, z, 1e-6, 1), to(*two, z, 1e-6, 1);
  const NaturalFactor factor = some_factor(m, 20, 10);
  NaturalFactor moved = factor;
  moved.change_coordinates(from.factor(), to.factor(), 1);
  // The same function of f_u: T_f = L^-T T L^-1, b_f = L^-T b.
  const Matrix a = from.factor().inverse(), b = to.factor().inverse();
  const Matrix in_f = a.transpose() * ep::full(factor) * a;
  const Matrix after = b.transpose() * ep::full(moved) * b;
  CHECK((after - in_f).cwiseAbs().maxCoeff() < 1e-9 * in_f.cwiseAbs().maxCoeff());
  CHECK((b.transpose() * moved.r - a.transpose() * factor.r).norm() <
        1e-9 * (a.transpose() * factor.r).norm());
  moved.change_coordinates(to.factor(), from.factor(), 2);
  ep::check_near(moved, factor, 1e-9);
  NaturalFactor same = factor;
  same.change_coordinates(from.factor(), from.factor(), 1);
  ep::check_near(same, factor, 1e-9);
}

TEST(rows_are_the_same_bits_kept_or_computed_anew_listed_or_in_a_range) {
  const Index m = 300;
  // 2^25 / 300 rows fit: one set just below, one above.
  const Index kept = 111000, anew = 113000;
  const Matrix x = dense::points(1, anew, 11);
  const auto kernel = dense::rbf();
  const Inducing inducing(*kernel, dense::points(1, m, 12), 1e-4, 1);
  WhitenedRows few(inducing, x, RowSet::range(0, kept));
  WhitenedRows many(inducing, x, RowSet::range(0, anew));
  Context two;
  two.threads = 2;
  CHECK(few.chunks() > 2 && many.chunks() >= few.chunks());
  for (const Index c : {0, 1}) {
    const WhitenedRows::Chunk& first = few.chunk(c, Context());
    const WhitenedRows::Chunk& other = many.chunk(c, two);
    CHECK(first.begin == other.begin && first.size == other.size);
    CHECK(first.v == other.v && first.s == other.s);
    CHECK(few.chunk(c, two).v == first.v);  // kept
    many.chunk(c + 1, two);
    CHECK(many.chunk(c, Context()).v == first.v);  // computed anew
    CHECK(Matrix(few.points(first)) == Matrix(x.middleCols(first.begin, first.size)));
  }
}

TEST(listed_rows_are_gathered_in_their_order) {
  const Matrix x = dense::points(2, 1000, 13);
  const auto kernel = dense::rbf();
  const Inducing inducing(*kernel, x.leftCols(15), 1e-8, 1);
  Indices order(700);
  std::iota(order.begin(), order.end(), Index{100});
  std::reverse(order.begin(), order.end());
  WhitenedRows listed(inducing, x, RowSet::listed(order));
  const WhitenedRows::Chunk& chunk = listed.chunk(0, Context());
  Matrix v(15, 1000);
  Vector s(1000);
  inducing.whiten(x, v, s);
  CHECK(chunk.size == 700);
  for (Index i = 0; i < 700; ++i) {
    CHECK((chunk.v.col(i) - v.col(order[i])).cwiseAbs().maxCoeff() < 1e-12);
    CHECK_NEAR(chunk.s(i), s(order[i]), 1e-12);
    CHECK(listed.points(chunk).col(i) == x.col(order[i]));
  }
  const RowSet part = listed.rows().part(5, 3);
  CHECK(part.size == 3 && part[0] == order[5] && part[2] == order[7]);
  CHECK(RowSet::range(10, 20).part(5, 3)[1] == 16);
}
