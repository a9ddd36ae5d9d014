// Several classes at once: one factor per row and other class, each a probit in two latent
// functions.
#include <algorithm>
#include <numeric>

#include "check.h"
#include "ep_helpers.h"
#include "math/argmax_probability.h"
#include "math/normal.h"

using namespace gpsieve;
using dense::check_near;

static bool converge_slowly(ep::Run& run) {
  return gpsieve::run_to_convergence(run.ep, run.rows, {2000, 1e-10, 0.4}, Context()).reached;
}

TEST(one_pairwise_factor_is_exact) {
  const Matrix x = Matrix::Zero(1, 1);
  const double variance = 1.7, noise = 0.6;
  const auto kernel = dense::rbf(variance);
  const Vector prior = (Vector(2) << 0.4, -0.3).finished();
  for (const Index label : {0, 1}) {
    const auto factors = pairwise_factors({label}, 2, noise, prior);
    ep::Run run(*kernel, x, x, *factors, Schedule::ep, 1e-13);
    const double z = (prior(label) - prior(1 - label)) / std::sqrt(noise + 2.0 * variance);
    CHECK_NEAR(run.passes(2).log_z(), normal::log_cdf(z), 1e-10);
    // The moments of f_y given f_y + e_y > f_k + e_k.
    const double c = noise + 2.0 * variance,
                 r = std::exp(-0.5 * z * z - normal::log_cdf(z)) / std::sqrt(2.0 * std::acos(-1.0));
    for (const Index k : {0, 1}) {
      const double sign = k == label ? 1.0 : -1.0;
      const auto got = run.predict(x, prior(k), k);
      CHECK_NEAR(got.mean(0), prior(k) + sign * variance * r / std::sqrt(c), 1e-9);
      CHECK_NEAR(got.variance(0), variance - variance * variance * r * (r + z) / c, 1e-9);
    }
  }
}

TEST(two_classes_start_as_the_probit_of_their_difference) {
  // A difference of two independent functions has the kernel 2 k and the residual 2 s.
  const Matrix x = dense::points(2, 50, 1), z = dense::points(2, 6, 2);
  const auto kernel = dense::rbf(1.3), twice = dense::rbf(2.6);
  const Matrix y = dense::labels(x, 3);
  Indices label;
  for (Index i = 0; i < 50; ++i) label.push_back(y(i, 0) > 0.0 ? 1 : 0);
  const auto joint = pairwise_factors(label, 2, 1.0, Vector::Zero(2));
  const auto binary = ep::probit_factors(y);
  ep::Run both(*kernel, x, z, *joint), difference(*twice, x, z, *binary);
  CHECK_NEAR(both.log_z(), difference.log_z(), 1e-10);
  // The mirror image of each other, whatever the data.
  CHECK(converge_slowly(both) && difference.converge());
  const Matrix at = dense::points(2, 30, 4);
  const auto zero = both.predict(at, 0.0, 0), one = both.predict(at, 0.0, 1);
  check_near(zero.mean, -one.mean, 1e-9);
  check_near(zero.variance, one.variance, 1e-9);
  // A factorised posterior of both functions is close to, but not, that of their difference.
  const auto of_difference = difference.predict(at);
  for (Index i = 0; i < 30; ++i) {
    const double joint_z =
        (one.mean(i) - zero.mean(i)) / std::sqrt(1.0 + one.variance(i) + zero.variance(i));
    const double z_i = of_difference.mean(i) / std::sqrt(1.0 + of_difference.variance(i));
    CHECK_NEAR(std::exp(normal::log_cdf(joint_z)), std::exp(normal::log_cdf(z_i)), 0.1);
  }
  // Swapped labels swap the functions.
  for (Index& each : label) each = 1 - each;
  const auto swapped = pairwise_factors(label, 2, 1.0, Vector::Zero(2));
  ep::Run other(*kernel, x, z, *swapped);
  CHECK(converge_slowly(other));
  check_near(other.predict(at, 0.0, 0).mean, one.mean, 1e-9);
  CHECK_NEAR(other.log_z(), both.log_z(), 1e-9);
}

TEST(the_order_of_rows_and_classes_does_not_matter) {
  const Index n = 60;
  const Matrix x = dense::points(2, n, 5), z = dense::points(2, 7, 6), at = dense::points(2, 9, 7);
  const Indices label = ep::classes(x, 8);
  const Vector prior = (Vector(3) << 0.2, 0.0, -0.4).finished();
  const auto kernel = dense::rbf(1.5);
  Indices order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  Rng rng(9);
  rng.shuffle_front(order, n);
  const Indices renamed = {2, 0, 1};
  Indices other_label;
  for (const Index row : order) other_label.push_back(renamed[label[row]]);
  Vector other_prior(3);
  for (Index k = 0; k < 3; ++k) other_prior(renamed[k]) = prior(k);
  const Matrix other_x = dense::columns(x, order);
  const auto one = pairwise_factors(label, 3, 1.0, prior);
  const auto two = pairwise_factors(other_label, 3, 1.0, other_prior);
  for (const Schedule schedule : {Schedule::ep, Schedule::sep, Schedule::adf}) {
    ep::Run a(*kernel, x, z, *one, schedule), b(*kernel, other_x, z, *two, schedule);
    a.passes(4, 0.4);
    b.passes(4, 0.4);
    CHECK_NEAR(a.log_z(), b.log_z(), 1e-9);
    for (Index k = 0; k < 3; ++k) {
      check_near(a.predict(at, 0.0, k).mean, b.predict(at, 0.0, renamed[k]).mean, 1e-9);
      check_near(a.predict(at, 0.0, k).variance, b.predict(at, 0.0, renamed[k]).variance, 1e-9);
    }
  }
}

TEST(the_factors_of_each_class_are_counted) {
  const auto factors = pairwise_factors({0, 0, 1, 3}, 4, 1.0, Vector::Zero(4));
  const double want[] = {2 * 3 + 2, 3 + 3, 4, 3 + 3};
  for (Index k = 0; k < 4; ++k) CHECK(factors->n_factors(k) == want[k]);
  CHECK(factors->sites_per_row() == 6 && factors->latents() == 4 && factors->rows() == 4);
}

TEST(a_cavity_leaves_out_all_factors_of_its_row) {
  const Index n = 40, m = 6;
  const Matrix x = dense::points(2, n, 10);
  const auto kernel = dense::rbf(1.5);
  const Vector prior = (Vector(3) << 0.2, 0.0, -0.4).finished();
  const auto factors = pairwise_factors(ep::classes(x, 11), 3, 1.0, prior);
  ep::Run run(*kernel, x, x.leftCols(m), *factors);
  CHECK(converge_slowly(run));
  const auto [v, s] = run.whitened(x);
  Matrix tau, nu;
  factors->sum_sites(run.rows.rows(), run.ep.sites(), tau, nu);
  const Projections cavity = site_table(run.ep, run.rows, Context()).cavity;
  for (Index k = 0; k < 3; ++k)
    for (Index i = 0; i < n; ++i) {
      const Vector a = v.col(i);
      const Matrix precision =
          Matrix::Identity(m, m) + ep::full(run.ep.natural(k)) - tau(i, k) * a * a.transpose();
      const Matrix covariance = precision.inverse();
      const Vector b = run.ep.natural(k).r - nu(i, k) * a;
      CHECK_NEAR(cavity.variance(i, k), a.dot(covariance * a) + s(i), 1e-8);
      CHECK_NEAR(cavity.mean(i, k), prior(k) + a.dot(covariance * b), 1e-8);
    }
}

TEST(predictive_probabilities_are_those_of_the_largest_function) {
  const Indices label = {0, 1, 2, 1};
  const auto factors = pairwise_factors(label, 3, 0.8, Vector::Zero(3));
  Projections latent;
  latent.mean = dense::points(4, 3, 12);
  latent.variance = dense::points(4, 3, 13).array().exp();
  double sum = 0.0;
  for (Index i = 0; i < 4; ++i)
    sum += log_argmax_probability(label[i], latent.mean.row(i).transpose(),
                                  latent.variance.row(i).transpose().array() + 0.4);
  CHECK_NEAR(factors->log_predictive(RowSet::range(0, 4), latent), sum, 1e-12);
  const Indices some = {3, 1};
  Projections part;
  part.mean = latent.mean.topRows(2);
  part.variance = latent.variance.topRows(2);
  double of_part = 0.0;
  for (Index i = 0; i < 2; ++i)
    of_part += log_argmax_probability(label[some[i]], part.mean.row(i).transpose(),
                                      part.variance.row(i).transpose().array() + 0.4);
  CHECK_NEAR(factors->log_predictive(RowSet::listed(some), part), of_part, 1e-12);
}
