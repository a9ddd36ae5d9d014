// FITC and parallel EP on it: dense inference where the two agree, explicit formulas elsewhere.
#include "approx/fitc.h"
#include "approx/parallel_ep.h"
#include "check.h"
#include "dense_reference.h"

using namespace gpsieve;
using dense::check_near;
using dense::predict;

struct FitcRun {
  EpState state;
  EpPass last;  // what the last pass saw, before it moved the sites
};
static FitcRun run_ep(const Fitc& fitc, const Likelihood& likelihood, const Vector& y,
                      double prior_mean, int passes, const Context& ctx = Context()) {
  FitcRun run{EpState::empty(y.size(), fitc.whitened().rows()), {}};
  parallel_ep(fitc, likelihood, y, prior_mean, {passes, 0.0}, run.state, run.last, ctx);
  return run;
}

TEST(fitc_has_the_residual_and_factor_of_its_definition) {
  const Matrix z = dense::points(2, 12, 1), x = dense::points(2, 700, 2);
  const auto kernel = dense::rbf();
  const Fitc fitc(*kernel, z, x, 1e-8, Context());
  Matrix k_uu = dense::gram(*kernel, z);
  CHECK_NEAR(fitc.jitter(), 1e-8 * k_uu.diagonal().mean(), 1e-20);
  k_uu.diagonal().array() += fitc.jitter();
  CHECK((fitc.factor() * fitc.factor().transpose() - k_uu).cwiseAbs().maxCoeff() < 1e-12);
  CHECK(fitc.factor().triangularView<Eigen::StrictlyUpper>().toDenseMatrix().isZero(0.0));
  const Matrix k_uf = dense::cross(*kernel, z, x);
  CHECK((fitc.factor() * fitc.whitened() - k_uf).cwiseAbs().maxCoeff() < 1e-12);
  const Vector explained = k_uf.cwiseProduct(k_uu.inverse() * k_uf).colwise().sum();
  check_near(fitc.residual(), dense::diagonal(*kernel, x) - explained, 1e-8);
  CHECK((fitc.residual().array() >= 0.0).all());
  // Where the inducing inputs are rows, the residual is the jitter's and never negative.
  const Fitc own(*kernel, x.leftCols(50), x.leftCols(50), 1e-10, Context());
  CHECK((own.residual().array() >= 0.0).all() && own.residual().maxCoeff() < 1e-6);
}

TEST(fitc_raises_the_jitter_where_inducing_inputs_repeat) {
  Matrix z = dense::points(2, 12, 1);
  z.rightCols(6) = z.leftCols(6);
  const auto kernel = dense::rbf(1e4);
  const Matrix x = dense::points(2, 30, 2);
  const Fitc fitc(*kernel, z, x, 0.0, Context());
  CHECK(fitc.jitter() > 0.0 && fitc.jitter() <= 1e-2 * 1e4 * (1.0 + 1e-12));
  CHECK(fitc.whitened().allFinite() && (fitc.residual().array() >= 0.0).all());
}

TEST(fitc_posterior_follows_explicit_formulas) {
  const Matrix z = dense::points(2, 10, 3), x = dense::points(2, 300, 4);
  const Matrix at = dense::points(2, 40, 5);
  const auto kernel = dense::rbf();
  const Fitc fitc(*kernel, z, x, 1e-8, Context());
  Matrix k_uu = dense::gram(*kernel, z);
  k_uu.diagonal().array() += fitc.jitter();
  Vector tau = x.row(0).transpose().array().exp(), nu = x.row(1).transpose();
  for (const bool some_negative : {false, true}) {
    if (some_negative) tau.head(20) *= -1e-2;
    const Matrix precision = fitc.whitened() * tau.asDiagonal() * fitc.whitened().transpose();
    const auto q = WhitenedPosterior::from_natural(precision, fitc.whitened() * nu, 1);
    const auto got = predict(*kernel, z, fitc.posterior(q, 0.3), at);
    const auto want = dense::fitc(k_uu, dense::cross(*kernel, z, x), tau, nu,
                                  dense::cross(*kernel, z, at), dense::diagonal(*kernel, at));
    check_near(got.mean, want.mean.array() + 0.3, 1e-8);
    check_near(got.variance, want.variance, 1e-8);
    // g(T, b) = -log|I + T| / 2 + b' (I + T)^-1 b / 2
    const Matrix total = Matrix::Identity(10, 10) + precision;
    const Vector b = fitc.whitened() * nu;
    CHECK_NEAR(q.log_normaliser,
               -0.5 * std::log(total.determinant()) + 0.5 * b.dot(total.inverse() * b), 1e-9);
    check_near(q.mean, total.inverse() * b, 1e-9);
  }
}

TEST(parallel_ep_on_all_rows_is_dense_ep) {
  const Index n = 60;
  const Matrix x = dense::points(2, n, 6);
  const Vector y = dense::labels(x, 7);
  const auto kernel = dense::rbf(2.0, 0.7);
  for (const double prior_mean : {0.0, 0.6}) {
    const auto want = dense::probit_ep(dense::gram(*kernel, x), y, prior_mean);
    const Fitc fitc(*kernel, x, x, 1e-11, Context());
    const FitcRun run = run_ep(fitc, *dense::probit(), y, prior_mean, 100);
    CHECK(run.last.skipped == 0);
    CHECK_NEAR(run.last.log_evidence, want.log_evidence, 1e-6);
    const auto got = predict(*kernel, x, fitc.posterior(run.state.q, prior_mean), x);
    check_near(got.mean, want.mean.array() + prior_mean, 1e-6);
    check_near(got.variance, want.variance, 1e-6);
    for (Index i = 0; i < n; ++i) {
      const double room = 1.0 - want.precision(i) * want.variance(i);
      CHECK_NEAR(run.last.cavity_variance(i), want.variance(i) / room, 1e-5);
      CHECK_NEAR(run.last.cavity_mean(i), (want.mean(i) - want.variance(i) * want.shift(i)) / room,
                 1e-5);
    }
  }
}

TEST(parallel_ep_is_exact_for_gaussian_noise_after_one_pass) {
  const Index n = 400, m = 15;
  const Matrix z = dense::points(2, m, 8), x = dense::points(2, n, 9);
  const Matrix at = dense::points(2, 30, 10);
  const auto kernel = dense::rbf();
  const double noise = 0.09, prior_mean = -0.4;
  const Vector y = dense::numbers(x, 11);
  const Fitc fitc(*kernel, z, x, 1e-8, Context());
  Matrix k_uu = dense::gram(*kernel, z);
  k_uu.diagonal().array() += fitc.jitter();
  const Matrix k_uf = dense::cross(*kernel, z, x),
               explained = k_uf.transpose() * k_uu.inverse() * k_uf;
  const Vector tau = (dense::diagonal(*kernel, x) - explained.diagonal()).array().max(0.0) + noise;
  const Vector residual = y.array() - prior_mean;
  const auto want = dense::fitc(k_uu, k_uf, tau.cwiseInverse(), residual.cwiseQuotient(tau),
                                dense::cross(*kernel, z, at), dense::diagonal(*kernel, at));
  for (const int passes : {1, 2, 5}) {
    const FitcRun run = run_ep(fitc, *dense::gaussian(noise), y, prior_mean, passes);
    const auto got = predict(*kernel, z, fitc.posterior(run.state.q, prior_mean), at);
    check_near(got.mean, want.mean.array() + prior_mean, 1e-8);
    check_near(got.variance, want.variance, 1e-8);
    const EpPass now = look(fitc, *dense::gaussian(noise), y, prior_mean, run.state, Context());
    CHECK_NEAR(now.log_evidence, dense::log_evidence(explained, tau.cwiseInverse(), residual),
               1e-8);
    // Nothing is left to move, and the next step finds the same posterior from the sites alone.
    check_near(now.precision, run.state.precision, 1e-8);
    check_near(now.shift, run.state.shift, 1e-8);
    const auto again = EpState::from_sites(fitc, run.state.precision, run.state.shift, Context());
    check_near(again.q.mean, run.state.q.mean, 1e-12);
  }
}

TEST(parallel_ep_stops_when_it_has_converged) {
  const Matrix x = dense::points(2, 200, 21);
  const Vector y = dense::labels(x, 22);
  const Fitc fitc(*dense::rbf(), x.leftCols(25), x, 1e-10, Context());
  EpState state = EpState::empty(200, 25);
  EpPass last;
  CHECK(!parallel_ep(fitc, *dense::probit(), y, 0.0, {2, 1e-9}, state, last, Context()));
  CHECK(parallel_ep(fitc, *dense::probit(), y, 0.0, {200, 1e-9}, state, last, Context()));
  const EpPass now = look(fitc, *dense::probit(), y, 0.0, state, Context());
  check_near(now.precision, state.precision, 1e-8);
  check_near(now.shift, state.shift, 1e-8);
  // Converged sites are a converged start.
  CHECK(parallel_ep(fitc, *dense::probit(), y, 0.0, {1, 1e-8}, state, last, Context()));
}

TEST(parallel_ep_gives_the_same_bits_whatever_the_threads) {
  const Matrix x = dense::points(2, 3000, 12);
  const Vector y = dense::labels(x, 13), t = dense::numbers(x, 13);
  const auto kernel = dense::rbf();
  const auto student = dense::likelihood("student", {{"df", {4.0}}, {"scale", {0.2}}});
  for (const bool robust : {false, true}) {
    std::vector<FitcRun> runs;
    for (const int threads : {1, 2, 4}) {
      Context ctx;
      ctx.threads = threads;
      const Fitc fitc(*kernel, x.leftCols(20), x, 1e-10, ctx);
      runs.push_back(robust ? run_ep(fitc, *student, t, 0.1, 2, ctx)
                            : run_ep(fitc, *dense::probit(), y, 0.1, 3, ctx));
      const FitcRun &run = runs.back(), &first = runs.front();
      CHECK(run.state.precision == first.state.precision);
      CHECK(run.state.shift == first.state.shift);
      CHECK(run.last.cavity_mean == first.last.cavity_mean);
      CHECK(run.last.cavity_variance == first.last.cavity_variance);
      CHECK(run.last.log_evidence == first.last.log_evidence);
      CHECK(run.state.q.factor == first.state.q.factor);
      CHECK(run.state.q.mean == first.state.q.mean);
    }
  }
}

TEST(parallel_ep_stays_finite_without_log_concavity) {
  const Matrix x = dense::points(1, 200, 14);
  Vector y = dense::numbers(x, 15, 0.1);
  const auto kernel = dense::rbf();
  const Fitc fitc(*kernel, x.leftCols(30), x, 1e-8, Context());
  for (const double outlier : {0.0, 10.0, 1e4})
    for (const double df : {1.0, 4.0})
      for (const double scale : {0.01, 0.1, 1.0}) {
        for (Index i = 0; i < 200; i += 10) y(i) += i % 20 ? outlier : -outlier;
        const auto student = dense::likelihood("student", {{"df", {df}}, {"scale", {scale}}});
        const FitcRun run = run_ep(fitc, *student, y, 0.0, 10);
        CHECK(run.state.precision.allFinite() && run.state.shift.allFinite());
        CHECK(run.state.q.factor.allFinite() && run.state.q.mean.allFinite());
        CHECK(std::isfinite(run.last.log_evidence));
        CHECK(run.last.cavity_mean.allFinite());
        CHECK((run.last.cavity_variance.array() > 0.0).all());
        CHECK(run.last.skipped >= 0 && run.last.skipped < 200);
        const auto got = predict(*kernel, x.leftCols(30), fitc.posterior(run.state.q, 0.0), x);
        CHECK(got.mean.allFinite() && (got.variance.array() >= 0.0).all());
        if (outlier > 100.0 && scale < 0.5) CHECK(got.mean.cwiseAbs().maxCoeff() < 5.0);
        for (Index i = 0; i < 200; i += 10) y(i) -= i % 20 ? outlier : -outlier;
      }
}

TEST(parallel_ep_evidence_of_one_row_is_exact_and_of_two_nearly_so) {
  const double pi = std::acos(-1.0), variance = 2.5;
  const auto kernel = dense::rbf(variance, 1.0);
  const auto probit = dense::probit();
  for (const double label : {1.0, -1.0})
    for (const double prior_mean : {0.0, 0.8, -3.0}) {
      const Matrix x = Matrix::Zero(1, 1);
      const Fitc fitc(*kernel, x, x, 1e-13, Context());
      const FitcRun run = run_ep(fitc, *probit, Vector::Constant(1, label), prior_mean, 3);
      const double z = label * prior_mean / std::sqrt(1.0 + variance);
      CHECK_NEAR(run.last.log_evidence, std::log(0.5 * std::erfc(-z / std::sqrt(2.0))), 1e-10);
    }
  for (const double distance : {0.5, 1.0, 3.0})
    for (const double label : {1.0, -1.0}) {
      Matrix x(1, 2);
      x << 0.0, distance;
      const Vector y = (Vector(2) << 1.0, label).finished();
      const Fitc fitc(*kernel, x, x, 1e-13, Context());
      const FitcRun run = run_ep(fitc, *probit, y, 0.0, 200);
      const Matrix k = dense::gram(*kernel, x);
      const double rho = label * k(0, 1) / (1.0 + variance);
      CHECK_NEAR(run.last.log_evidence, dense::probit_ep(k, y, 0.0).log_evidence, 1e-9);
      CHECK_NEAR(run.last.log_evidence, std::log(0.25 + std::asin(rho) / (2.0 * pi)), 0.02);
    }
}
