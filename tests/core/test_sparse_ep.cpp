// Expectation propagation on inducing inputs over all rows: dense inference where the two agree,
// explicit formulas and laws elsewhere.
#include <numeric>

#include "base/error.h"
#include "check.h"
#include "ep_helpers.h"

using namespace gpsieve;
using dense::check_near;

TEST(sparse_ep_on_all_rows_is_dense_ep) {
  const Index n = 60;
  const Matrix x = dense::points(2, n, 6);
  const Vector y = dense::labels(x, 7);
  const Matrix responses = y;
  const auto kernel = dense::rbf(2.0, 0.7);
  for (const double prior_mean : {0.0, 0.6}) {
    const auto want = dense::probit_ep(dense::gram(*kernel, x), y, prior_mean);
    const auto factors = ep::probit_factors(responses, prior_mean);
    ep::Run run(*kernel, x, x, *factors, Schedule::ep, 1e-11);
    CHECK(run.converge());
    CHECK_NEAR(run.log_z(), want.log_evidence, 1e-6);
    const auto got = run.predict(x, prior_mean);
    check_near(got.mean, want.mean.array() + prior_mean, 1e-6);
    check_near(got.variance, want.variance, 1e-6);
    const Projections cavity = site_table(run.ep, run.rows, Context()).cavity;
    for (Index i = 0; i < n; ++i) {
      const double room = 1.0 - want.precision(i) * want.variance(i);
      CHECK_NEAR(cavity.variance(i, 0), want.variance(i) / room, 1e-5);
      CHECK_NEAR(cavity.mean(i, 0),
                 prior_mean + (want.mean(i) - want.variance(i) * want.shift(i)) / room, 1e-5);
    }
  }
}

TEST(sparse_ep_is_exact_for_gaussian_noise_after_one_pass) {
  const Index n = 400, m = 15;
  const Matrix z = dense::points(2, m, 8), x = dense::points(2, n, 9);
  const Matrix at = dense::points(2, 30, 10);
  const auto kernel = dense::rbf();
  const double noise = 0.09, prior_mean = -0.4;
  const Matrix y = dense::numbers(x, 11);
  for (const double power : {1.0, 0.5, 0.1}) {
    const auto factors = ep::factors({"gaussian", {{"variance", {noise}}}}, y, power, prior_mean);
    ep::Run run(*kernel, x, z, *factors);
    const Matrix k_uu = ep::gram_with_jitter(run.inducing), k_uf = dense::cross(*kernel, z, x);
    const Matrix explained = k_uf.transpose() * k_uu.inverse() * k_uf;
    const Vector s = (dense::diagonal(*kernel, x) - explained.diagonal()).array().max(0.0);
    // A power on the level of f shrinks the residual: N(y | g, v / a + s) to the power 1 / a.
    const Vector total = power * s.array() + noise;
    const Vector residual = y.col(0).array() - prior_mean;
    const auto want = dense::fitc(k_uu, k_uf, total.cwiseInverse(), residual.cwiseQuotient(total),
                                  dense::cross(*kernel, z, at), dense::diagonal(*kernel, at));
    double log_z = dense::log_evidence(explained, total.cwiseInverse(), residual);
    log_z -= 0.5 * (1.0 - power) / power * ((noise + power * s.array()) / noise).log().sum();
    for (int pass = 0; pass < 3; ++pass) {
      run.passes(1);
      const auto got = run.predict(at, prior_mean);
      check_near(got.mean, want.mean.array() + prior_mean, 1e-8);
      check_near(got.variance, want.variance, 1e-8);
      CHECK_NEAR(run.log_z(), log_z, 1e-8);
    }
    // Nothing is left to move, and the sites alone give the same posterior.
    CHECK(run.ep.update(run.rows, {}, Context()).largest < 1e-8);
    const WhitenedPosterior before = run.ep.q(0);
    run.ep.rebuild(run.rows, Context());
    check_near(run.ep.q(0).mean, before.mean, 1e-12);
  }
}

TEST(sparse_ep_stops_when_it_has_converged) {
  const Matrix x = dense::points(2, 200, 21), y = dense::labels(x, 22);
  const auto kernel = dense::rbf();
  const auto factors = ep::probit_factors(y);
  for (const Schedule schedule : {Schedule::ep, Schedule::sep}) {
    ep::Run run(*kernel, x, x.leftCols(25), *factors, schedule, 1e-10);
    CHECK(!run.converge(1e-9, 2));
    CHECK(run.converge(1e-9, 300));
    const NaturalFactor converged = run.ep.natural(0);
    run.passes(1);
    ep::check_near(run.ep.natural(0), converged, 1e-7);
    // Converged sites are a converged start.
    CHECK(run.converge(1e-8, 1));
  }
}

TEST(damping_does_not_change_the_fixed_point) {
  const Matrix x = dense::points(2, 120, 23), y = dense::labels(x, 24);
  const auto kernel = dense::rbf(2.0);
  const auto factors = ep::probit_factors(y);
  for (const Schedule schedule : {Schedule::ep, Schedule::sep}) {
    ep::Run one(*kernel, x, x.leftCols(12), *factors, schedule);
    ep::Run two(*kernel, x, x.leftCols(12), *factors, schedule);
    one.passes(1);
    two.passes(1, 0.5);
    NaturalFactor half = NaturalFactor::uniform(12);
    half.combine(1.0, 0.5, one.ep.natural(0));
    ep::check_near(two.ep.natural(0), half, 1e-12);
    one.passes(150);
    two.passes(150, 0.5);
    ep::check_near(two.ep.natural(0), one.ep.natural(0), 1e-9);
    CHECK_NEAR(two.log_z(), one.log_z(), 1e-9);
  }
}

TEST(an_update_reports_the_evidence_from_before) {
  const Matrix x = dense::points(2, 150, 25), y = dense::labels(x, 26);
  const auto kernel = dense::rbf();
  const auto factors = ep::probit_factors(y);
  for (const Schedule schedule : {Schedule::ep, Schedule::sep, Schedule::adf}) {
    ep::Run run(*kernel, x, x.leftCols(12), *factors, schedule);
    for (int pass = 0; pass < 4; ++pass) {
      const double before = run.log_z();
      CHECK_NEAR(run.ep.update(run.rows, {0.7, false}, Context()).log_z, before, 1e-10);
    }
  }
}

TEST(all_schedules_make_the_same_first_pass) {
  const Matrix x = dense::points(2, 150, 27);
  const auto kernel = dense::rbf(1.7);
  for (const ep::Case& each : ep::all_cases())
    for (const double power : {1.0, 0.5}) {
      const Matrix y = ep::responses(each, x, 28);
      const auto factors = ep::factors(each, y, power, 0.2);
      ep::Run by_ep(*kernel, x, x.leftCols(12), *factors, Schedule::ep);
      ep::Run by_sep(*kernel, x, x.leftCols(12), *factors, Schedule::sep);
      ep::Run by_adf(*kernel, x, x.leftCols(12), *factors, Schedule::adf);
      for (ep::Run* run : {&by_ep, &by_sep, &by_adf}) run->passes(1);
      ep::check_near(by_sep.ep.natural(0), by_ep.ep.natural(0), 1e-12);
      ep::check_near(by_adf.ep.natural(0), by_ep.ep.natural(0), 1e-12);
    }
}

TEST(stochastic_ep_of_one_row_is_ep) {
  const auto kernel = dense::rbf(2.0);
  const Matrix x = dense::points(2, 1, 29), z = dense::points(2, 4, 30);
  for (const ep::Case& each : ep::all_cases())
    for (const double power : {1.0, 0.5}) {
      const Matrix y = ep::responses(each, x, 31);
      const auto factors = ep::factors(each, y, power, 0.3);
      ep::Run by_ep(*kernel, x, z, *factors, Schedule::ep);
      ep::Run by_sep(*kernel, x, z, *factors, Schedule::sep);
      for (int pass = 0; pass < 4; ++pass) {
        by_ep.passes(1, 0.8);
        by_sep.passes(1, 0.8);
        ep::check_near(by_sep.ep.natural(0), by_ep.ep.natural(0), 1e-10);
        CHECK_NEAR(by_sep.log_z(), by_ep.log_z(), 1e-9);
      }
    }
}

TEST(probit_sites_are_positive_and_below_their_bound) {
  const Index n = 200;
  const Matrix x = dense::points(2, n, 32, 3.0);
  for (const double variance : {0.1, 3.0, 1e4})
    for (const double flips : {0.0, 0.9, 30.0}) {
      const auto kernel = dense::rbf(variance, 0.8);
      const Matrix y = dense::labels(x, 33, flips);
      const auto factors = ep::probit_factors(y, -0.5);
      ep::Run run(*kernel, x, x.leftCols(25), *factors, Schedule::ep, 1e-6);
      const Vector s = run.whitened(x).second;
      for (int pass = 0; pass < 12; ++pass) {
        const SparseEp::Change change = run.ep.update(run.rows, {}, Context());
        CHECK(change.skipped == 0);
        const auto tau = run.ep.sites().precision.row(0).transpose().array();
        CHECK((tau > 0.0).all());
        CHECK((tau * (1.0 + s.array()) < 1.0 + 1e-12).all());
      }
    }
}

TEST(evidence_of_one_row_is_exact_and_of_two_nearly_so) {
  const double pi = std::acos(-1.0), variance = 2.5;
  const auto kernel = dense::rbf(variance, 1.0);
  for (const double label : {1.0, -1.0})
    for (const double prior_mean : {0.0, 0.8, -3.0}) {
      const Matrix x = Matrix::Zero(1, 1), y = Matrix::Constant(1, 1, label);
      const auto factors = ep::probit_factors(y, prior_mean);
      ep::Run run(*kernel, x, x, *factors, Schedule::ep, 1e-13);
      const double z = label * prior_mean / std::sqrt(1.0 + variance);
      CHECK_NEAR(run.passes(3).log_z(), std::log(0.5 * std::erfc(-z / std::sqrt(2.0))), 1e-10);
    }
  for (const double distance : {0.5, 1.0, 3.0})
    for (const double label : {1.0, -1.0}) {
      Matrix x(1, 2), y(2, 1);
      x << 0.0, distance;
      y << 1.0, label;
      const auto factors = ep::probit_factors(y);
      ep::Run run(*kernel, x, x, *factors, Schedule::ep, 1e-13);
      run.passes(200);
      const Matrix k = dense::gram(*kernel, x);
      const double rho = label * k(0, 1) / (1.0 + variance);
      CHECK_NEAR(run.log_z(), dense::probit_ep(k, y.col(0), 0.0).log_evidence, 1e-9);
      CHECK_NEAR(run.log_z(), std::log(0.25 + std::asin(rho) / (2.0 * pi)), 0.02);
    }
}

TEST(sparse_ep_stays_finite_without_log_concavity) {
  const Matrix x = dense::points(1, 200, 14);
  const auto kernel = dense::rbf();
  for (const double outlier : {0.0, 10.0, 1e4})
    for (const double df : {1.0, 4.0})
      for (const double scale : {0.01, 0.1, 1.0}) {
        Matrix y = dense::numbers(x, 15, 0.1);
        for (Index i = 0; i < 200; i += 10) y(i, 0) += i % 20 ? outlier : -outlier;
        const auto factors = ep::factors({"student", {{"df", {df}}, {"scale", {scale}}}}, y);
        ep::Run run(*kernel, x, x.leftCols(30), *factors);
        run_to_convergence(run.ep, run.rows, {10, 0.0, 1.0}, Context());
        CHECK(run.ep.sites().precision.allFinite() && run.ep.sites().shift.allFinite());
        CHECK(run.ep.q(0).factor.allFinite() && run.ep.q(0).mean.allFinite());
        const Projections cavity = site_table(run.ep, run.rows, Context()).cavity;
        CHECK(cavity.mean.allFinite() && (cavity.variance.array() > 0.0).all());
        const auto got = run.predict(x);
        CHECK(got.mean.allFinite() && (got.variance.array() >= 0.0).all());
        if (outlier > 100.0 && scale < 0.5) CHECK(got.mean.cwiseAbs().maxCoeff() < 5.0);
      }
}

TEST(small_powers_approach_a_limit) {
  const Matrix x = dense::points(2, 100, 34), y = dense::labels(x, 35);
  const auto kernel = dense::rbf(2.0);
  std::vector<double> log_z;
  for (const double power : {1.0, 0.1, 0.01, 0.001}) {
    const auto factors = ep::factors({"logit", {}}, y, power);
    ep::Run run(*kernel, x, x.leftCols(10), *factors);
    CHECK(run.converge(1e-9));
    log_z.push_back(run.log_z());
  }
  // Linear in the power near its limit, which bounds the evidence from below.
  CHECK(log_z[1] < log_z[0] && log_z[2] < log_z[1] && log_z[3] < log_z[2]);
  CHECK_NEAR((log_z[2] - log_z[3]) / (log_z[1] - log_z[2]), 0.1, 0.02);
}

TEST(an_improper_cavity_keeps_the_site_and_evaluates_the_factor_from_q) {
  const Matrix y = Matrix::Constant(1, 1, 0.3);
  const auto likelihood = dense::likelihood("student", {{"df", {4.0}}, {"scale", {0.4}}});
  const auto factors = ep::factors({"student", {{"df", {4.0}}, {"scale", {0.4}}}}, y);
  const Matrix mean = Matrix::Constant(1, 1, 0.1), variance = Matrix::Constant(1, 1, 2.0);
  const Projections q{mean, variance};
  const Vector residual = Vector::Constant(1, 0.2);
  for (const double precision : {0.5, 0.8}) {  // takes all of q's precision, or more
    Sites sites{Matrix::Constant(1, 1, precision), Matrix::Constant(1, 1, 0.4)};
    RowMoments out;
    factors->update_sites(RowSet::range(0, 1), q, {q, variance}, residual, 1, sites, out);
    const Tilted seen = likelihood->tilted(0.3, 0.1, 2.2);
    CHECK(out.skipped == 1);
    CHECK(sites.precision(0, 0) == precision && sites.shift(0, 0) == 0.4);
    CHECK(out.precision(0, 0) == precision && out.shift(0, 0) == 0.4);
    CHECK_NEAR(out.log_z(0), seen.log_z - log_expected_site(precision, 0.4, 0.1, 2.0), 1e-12);
    CHECK_NEAR(out.weight(0, 0), seen.d1 * seen.d1 + seen.d2, 1e-12);
    Projections cavity;
    factors->cavities(RowSet::range(0, 1), q, residual, sites, cavity);
    CHECK_NEAR(cavity.mean(0, 0), 0.1, 1e-12);
    CHECK_NEAR(cavity.variance(0, 0), 2.2, 1e-12);
  }
}
