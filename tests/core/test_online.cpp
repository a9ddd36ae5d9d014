// Sequential learning against dense recomputation.
#include "online_helpers.h"

using namespace online;
using dense::check_near;

// Assumed density filtering on the values of f at all rows.
struct Filter {
  Vector mean;
  Matrix covariance;
  double log_evidence = 0.0;
};
static Filter dense_filter(const Matrix& k, const Likelihood& likelihood, const Vector& y,
                           double prior_mean) {
  Filter f{Vector::Zero(y.size()), k};
  for (Index i = 0; i < y.size(); ++i) {
    const Tilted t = likelihood.tilted(y(i), f.mean(i) + prior_mean, f.covariance(i, i));
    const Vector column = f.covariance.col(i);
    f.mean += t.d1 * column;
    f.covariance += t.d2 * column * column.transpose();
    f.log_evidence += t.log_z;
  }
  return f;
}

TEST(online_one_sweep_is_assumed_density_filtering) {
  const Matrix x = dense::points(2, 40, 1);
  const auto kernel = dense::rbf();
  for (const auto& likelihood : likelihoods()) {
    const Vector y = responses(*likelihood, x, 2);
    for (const double prior_mean : {0.0, 0.7}) {
      const Filter expected = dense_filter(dense::gram(*kernel, x), *likelihood, y, prior_mean);
      const OnlineFit found = fit(*kernel, *likelihood, x, y, InOrder(), prior_mean);
      const dense::Marginals at = predict(*kernel, x, found, x);
      check_near(at.mean.array() - prior_mean, expected.mean, 1e-9);
      check_near(at.variance, expected.covariance.diagonal(), 1e-9);
      CHECK_NEAR(found.fit.latents[0].log_evidence, expected.log_evidence, 1e-10);
    }
  }
}

TEST(online_first_sweep_is_that_of_expectation_propagation) {
  const Matrix x = dense::points(2, 30, 3), at = dense::points(2, 10, 103);
  const auto kernel = dense::rbf(1.5, 0.5);
  for (const auto& likelihood : likelihoods()) {
    const Vector y = responses(*likelihood, x, 4);
    InOrder kept;  // every row, with its site
    kept.novelty = 0.0;
    const OnlineFit found = fit(*kernel, *likelihood, x, y, kept);
    const OnlineState& sites = found.states[0];
    // The posterior that the sites describe is the posterior.
    const Matrix k = dense::gram(*kernel, x);
    const Matrix precision = k.inverse() + Matrix(sites.site_precision.asDiagonal());
    const Filter expected = dense_filter(k, *likelihood, y, 0.0);
    check_near(k * sites.weights, expected.mean, 1e-12);
    check_near(precision.ldlt().solve(sites.site_shift), expected.mean, 1e-9);
    CHECK_NEAR(sites.log_evidence, expected.log_evidence, 1e-12);
    // Here the machine with a chosen basis has all rows in it and gives the same posterior.
    const OnlineFit chosen = fit(*kernel, *likelihood, x, y, InOrder());
    CHECK(chosen.states[0].basis == sites.basis);
    const dense::Marginals a = predict(*kernel, x, found, at), b = predict(*kernel, x, chosen, at);
    check_near(a.mean, b.mean, 1e-12);
    check_near(a.variance, b.variance, 1e-12);
    CHECK_NEAR(chosen.states[0].log_evidence, sites.log_evidence, 1e-12);
  }
}

TEST(online_later_rows_with_every_row_kept_give_the_fit_to_all_rows) {
  const Matrix x = dense::points(2, 40, 40);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::probit();
  const Vector y = dense::labels(x, 41);
  InOrder kept;
  kept.novelty = 0.0;
  const OnlineState whole = fit(*kernel, *likelihood, x, y, kept).states[0];
  const OnlineState first = fit(*kernel, *likelihood, x.leftCols(25), y.head(25), kept).states[0];
  const OnlineState both = fit(*kernel, *likelihood, x, y.tail(15), kept, 0.0, {first}).states[0];
  CHECK(both.basis == whole.basis);
  check_near(both.site_precision, whole.site_precision, 1e-9);
  check_near(both.weights, whole.weights, 1e-8);
  CHECK_NEAR(both.log_evidence, whole.log_evidence, 1e-10);
}

TEST(online_gaussian_noise_is_exact_and_more_sweeps_change_nothing) {
  const Matrix x = dense::points(2, 50, 5), at = dense::points(2, 20, 6);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::gaussian(0.2);
  const Vector y = dense::numbers(x, 7);
  Matrix c = dense::gram(*kernel, x);
  c.diagonal().array() += 0.2;
  const Matrix between = dense::cross(*kernel, x, at);
  const Vector mean = between.transpose() * c.ldlt().solve(y);
  const Matrix solved = c.ldlt().solve(between);
  const Vector variance =
      dense::diagonal(*kernel, at) - between.cwiseProduct(solved).colwise().sum().transpose();
  const double evidence = -0.5 * y.dot(c.ldlt().solve(y)) -
                          0.5 * c.ldlt().vectorD().array().log().sum() -
                          0.5 * 50.0 * std::log(2.0 * 3.14159265358979323846);
  for (const int sweeps : {1, 3}) {
    InOrder options;
    options.novelty = 0.0;
    options.sweeps = sweeps;
    options.shuffle = true;
    const OnlineFit found = fit(*kernel, *likelihood, x, y, options);
    const dense::Marginals marginals = predict(*kernel, x, found, at);
    check_near(marginals.mean, mean, 1e-8);
    check_near(marginals.variance, variance, 1e-8);
    CHECK_NEAR(found.fit.latents[0].log_evidence, evidence, 1e-9);
  }
}

TEST(online_with_a_budget_of_all_rows_is_the_fit_without_a_budget) {
  const Matrix x = dense::points(2, 60, 8);
  const auto kernel = dense::rbf();
  for (const auto& likelihood : likelihoods()) {
    const Vector y = responses(*likelihood, x, 9);
    InOrder free, bounded;
    bounded.budget = 60;
    const OnlineState a = fit(*kernel, *likelihood, x, y, free).states[0],
                      b = fit(*kernel, *likelihood, x, y, bounded).states[0];
    CHECK(a.mean == b.mean && a.form == b.form && a.whitening == b.whitening);
    CHECK(a.log_evidence == b.log_evidence && a.since_refresh == b.since_refresh);
  }
}
