// Sequential learning against dense recomputation, brute-force divergences, and itself: the same
// bits however a stream is split.
#include <limits>
#include <string>

#include "base/error.h"
#include "check.h"
#include "dense_reference.h"
#include "models/online.h"
#include "models/online_machine.h"

using namespace gpsieve;
using dense::check_near;

static std::vector<std::unique_ptr<Likelihood>> likelihoods() {
  std::vector<std::unique_ptr<Likelihood>> all;
  all.push_back(dense::probit());
  all.push_back(dense::likelihood("logit"));
  all.push_back(dense::gaussian(0.1));
  all.push_back(dense::likelihood("student", {{"df", {4.0}}, {"scale", {0.2}}}));
  return all;
}

static Vector responses(const Likelihood& likelihood, const Matrix& x, std::uint64_t seed) {
  return likelihood.response() == Response::binary ? dense::labels(x, seed)
                                                   : dense::numbers(x, seed);
}

static OnlineFit fit(const Kernel& kernel, const Likelihood& likelihood, const Matrix& x,
                     const Vector& y, const OnlineOptions& options, double prior_mean = 0.0,
                     std::vector<OnlineState> states = {}) {
  return fit_online(kernel, likelihood, x, y, Vector::Constant(1, prior_mean), std::move(states),
                    options, 1, Context());
}

static dense::Marginals predict(const Kernel& kernel, const Matrix& x, const OnlineFit& fit,
                                const Matrix& at) {
  const SparsePosterior& posterior = fit.fit.latents[0].posterior;
  return dense::predict(kernel, dense::columns(x, posterior.basis), posterior, at);
}

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
      const OnlineFit found = fit(*kernel, *likelihood, x, y, OnlineOptions(), prior_mean);
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
    OnlineOptions kept;  // every row, with its site
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
    // The machine that chooses a basis chooses all of these rows and knows the same.
    const OnlineFit chosen = fit(*kernel, *likelihood, x, y, OnlineOptions());
    CHECK(chosen.states[0].basis == sites.basis);
    const dense::Marginals a = predict(*kernel, x, found, at), b = predict(*kernel, x, chosen, at);
    check_near(a.mean, b.mean, 1e-12);
    check_near(a.variance, b.variance, 1e-12);
    CHECK_NEAR(chosen.states[0].log_evidence, sites.log_evidence, 1e-12);
  }
}

TEST(online_rows_that_come_later_to_a_fit_that_keeps_them) {
  const Matrix x = dense::points(2, 40, 40);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::probit();
  const Vector y = dense::labels(x, 41);
  OnlineOptions kept;
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
    OnlineOptions options;
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

TEST(online_a_budget_of_all_rows_is_no_budget) {
  const Matrix x = dense::points(2, 60, 8);
  const auto kernel = dense::rbf();
  for (const auto& likelihood : likelihoods()) {
    const Vector y = responses(*likelihood, x, 9);
    OnlineOptions free, bounded;
    bounded.budget = 60;
    const OnlineState a = fit(*kernel, *likelihood, x, y, free).states[0],
                      b = fit(*kernel, *likelihood, x, y, bounded).states[0];
    CHECK(a.mean == b.mean && a.form == b.form && a.whitening == b.whitening);
    CHECK(a.log_evidence == b.log_evidence && a.since_refresh == b.since_refresh);
  }
}

TEST(online_splitting_a_stream_changes_no_bit) {
  const Index n = 150;
  const Matrix x = dense::points(3, n, 10);
  const auto kernel = dense::rbf();
  for (const auto& likelihood : likelihoods()) {
    const Vector y = responses(*likelihood, x, 11);
    for (const Index budget : {kNoBudget, Index{12}})
      for (const Deletion deletion :
           {Deletion::reverse_kl, Deletion::forward_kl, Deletion::cheap}) {
        OnlineOptions options;
        options.budget = budget;
        options.deletion = deletion;
        const OnlineState whole = fit(*kernel, *likelihood, x, y, options).states[0];
        for (const Index step : {Index{1}, Index{37}, Index{140}}) {
          OnlineState state;
          Matrix basis(3, 0);
          bool fresh = true;
          for (Index begin = 0; begin < n; begin += step) {
            const Index rows = std::min(step, n - begin);
            Matrix both(3, basis.cols() + rows);
            both << basis, x.middleCols(begin, rows);
            std::vector<OnlineState> states;
            if (!fresh) states.push_back(state);
            fresh = false;
            state = fit(*kernel, *likelihood, both, y.segment(begin, rows), options, 0.0,
                        std::move(states))
                        .states[0];
            basis = dense::columns(both, state.basis);
            for (Index i = 0; i < basis.cols(); ++i) state.basis[i] = i;
          }
          CHECK(state.weights == whole.weights && state.form == whole.form);
          CHECK(state.whitening == whole.whitening && state.precision == whole.precision);
          CHECK(state.mean == whole.mean && state.leverage == whole.leverage &&
                state.stiffness == whole.stiffness);
          CHECK(state.log_evidence == whole.log_evidence);
          CHECK(state.since_refresh == whole.since_refresh);
          CHECK(basis == dense::columns(x, whole.basis));
        }
      }
  }
}

TEST(online_the_state_stays_consistent_under_a_budget) {
  const Matrix x = dense::points(2, 400, 12);
  const auto kernel = dense::rbf();
  for (const auto& likelihood : likelihoods()) {
    const Vector y = responses(*likelihood, x, 13);
    for (const Deletion deletion : {Deletion::reverse_kl, Deletion::forward_kl, Deletion::cheap}) {
      OnlineOptions options;
      options.budget = 15;
      options.deletion = deletion;
      const OnlineState s = fit(*kernel, *likelihood, x, y, options).states[0];
      CHECK(static_cast<Index>(s.basis.size()) == 15);
      const Matrix one = Matrix::Identity(15, 15);
      const Matrix k = dense::gram(*kernel, dense::columns(x, s.basis));
      CHECK((s.whitening * k * s.whitening.transpose() - one).cwiseAbs().maxCoeff() < 1e-8);
      CHECK((s.precision * s.form - one).cwiseAbs().maxCoeff() < 1e-6);
      const Vector leverage = (s.whitening.transpose() * s.form * s.whitening).diagonal();
      const Vector stiffness = (s.whitening.transpose() * s.precision * s.whitening).diagonal();
      CHECK(((s.leverage - leverage).array().abs() < 1e-6 * leverage.array()).all());
      CHECK(((s.stiffness - stiffness).array().abs() < 1e-6 * stiffness.array()).all());
      CHECK(s.form == s.form.transpose() && s.precision == s.precision.transpose());
    }
  }
}

// ---- deletion, against divergences of dense Gaussians ----

struct Gauss {
  Vector mean;
  Matrix covariance;
};

static double divergence(const Gauss& p, const Gauss& q) {  // KL(p || q)
  const Matrix solved = q.covariance.ldlt().solve(p.covariance);
  const Vector d = q.mean - p.mean;
  const double log_p = p.covariance.ldlt().vectorD().array().log().sum();
  const double log_q = q.covariance.ldlt().vectorD().array().log().sum();
  return 0.5 * (solved.trace() + d.dot(q.covariance.ldlt().solve(d)) -
                static_cast<double>(d.size()) + log_q - log_p);
}

// The best approximation in which f_j hangs on the others by the prior alone.
static Gauss without_point(const Gauss& p, const Matrix& k, Index j, bool reverse) {
  const Index n = k.rows();
  Indices rest;
  for (Index i = 0; i < n; ++i)
    if (i != j) rest.push_back(i);
  const Matrix k_rest = k(rest, rest);
  Matrix t = Matrix::Zero(n, n - 1);  // E[f | f_rest] = t f_rest
  for (Index i = 0; i < n - 1; ++i) t(rest[i], i) = 1.0;
  t.row(j) = k_rest.ldlt().solve(Vector(k(rest, j))).transpose();
  Gauss own;
  if (reverse) {  // proportional to exp E[log p(f) | f_rest]
    const Matrix precision = p.covariance.inverse();
    const Matrix folded = t.transpose() * precision * t;
    own.covariance = folded.inverse();
    own.mean = own.covariance * (t.transpose() * (precision * p.mean));
  } else {
    own.mean = p.mean(rest);
    own.covariance = p.covariance(rest, rest);
  }
  Gauss all{t * own.mean, t * own.covariance * t.transpose()};
  all.covariance(j, j) += k(j, j) - t.row(j).dot(Vector(k(rest, j)));
  return all;
}

TEST(online_deletion_is_the_least_divergence_of_all) {
  for (std::uint64_t seed = 20; seed < 26; ++seed) {
    const Index n = 12;
    const Matrix x = dense::points(2, n, seed);
    const auto kernel = dense::rbf(1.5, 0.6);
    const auto likelihood = dense::probit();
    const Vector y = dense::labels(x, seed);
    const Matrix k = dense::gram(*kernel, x);
    OnlineOptions free;
    const OnlineState s = fit(*kernel, *likelihood, x, y, free).states[0];
    CHECK(static_cast<Index>(s.basis.size()) == n);
    const Matrix c = s.whitening.transpose() * (s.form - Matrix::Identity(n, n)) * s.whitening;
    const Gauss p{k * s.weights, k + k * c * k};
    for (const bool reverse : {true, false}) {
      Index best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (Index j = 0; j < n; ++j) {
        const Gauss q = without_point(p, k, j, reverse);
        const double lost = reverse ? divergence(q, p) : divergence(p, q);
        if (lost < least) {
          least = lost;
          best = j;
        }
      }
      OnlineOptions options;
      options.budget = n - 1;
      options.deletion = reverse ? Deletion::reverse_kl : Deletion::forward_kl;
      const OnlineFit found = fit(*kernel, *likelihood, x, y, options);
      for (const Index row : found.states[0].basis) CHECK(row != best);
      const Gauss q = without_point(p, k, best, reverse);
      const dense::Marginals at = predict(*kernel, x, found, x);
      check_near(at.mean, q.mean, 1e-8);
      check_near(at.variance, q.covariance.diagonal(), 1e-8);
    }
  }
}

// ---- what may go wrong ----

TEST(online_repeated_rows_are_projected_exactly) {
  const Matrix x = dense::points(2, 15, 30), at = dense::points(2, 10, 31);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::gaussian(0.3);
  const Vector y = dense::numbers(x, 32);
  Matrix thrice(2, 45);
  Vector y_thrice(45);
  thrice << x, x, x;
  y_thrice << y, y, y;
  const OnlineFit found = fit(*kernel, *likelihood, thrice, y_thrice, OnlineOptions());
  CHECK(found.states[0].basis.size() == 15);
  // Three equal observations say what one of a third of the variance says.
  const OnlineFit once = fit(*kernel, *dense::gaussian(0.1), x, y, OnlineOptions());
  const dense::Marginals a = predict(*kernel, thrice, found, at), b = predict(*kernel, x, once, at);
  check_near(a.mean, b.mean, 1e-8);
  check_near(a.variance, b.variance, 1e-8);
}

TEST(online_a_damaged_state_is_refused) {
  const Matrix x = dense::points(2, 30, 33);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::probit();
  const Vector y = dense::labels(x, 34);
  OnlineOptions options;
  options.budget = 30;
  OnlineState good = fit(*kernel, *likelihood, x, y, options).states[0];
  const Matrix more = dense::points(2, 31, 33);
  const Vector one = Vector::Ones(1);
  const auto refused = [&](const OnlineState& state) {
    CHECK_THROWS(fit(*kernel, *likelihood, more, one, options, 0.0, {state}), InvalidSpec);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto changed = [&](auto change) {
    OnlineState state = good;
    change(state);
    refused(state);
  };
  changed([](OnlineState& s) { s.basis[2] = 99; });
  changed([](OnlineState& s) { s.basis[2] = -1; });
  changed([](OnlineState& s) { s.basis.pop_back(); });
  changed([](OnlineState& s) { s.weights.conservativeResize(3); });
  changed([&](OnlineState& s) { s.form(1, 1) = nan; });
  changed([](OnlineState& s) { s.form = s.form.topRows(2).eval(); });
  changed([&](OnlineState& s) { s.whitening(1, 1) = nan; });
  changed([](OnlineState& s) { s.precision.resize(0, 0); });
  changed([](OnlineState& s) { s.mean.resize(0); });
  changed([&](OnlineState& s) { s.leverage(0) = nan; });
  changed([](OnlineState& s) { s.site_precision = Vector::Ones(1); });
  changed([&](OnlineState& s) { s.log_evidence = nan; });
  changed([](OnlineState& s) { s.since_refresh = -1; });
  options.budget = 5;
  refused(good);
  CHECK_THROWS(fit(*kernel, *likelihood, x, y, options, 0.0, {good, good}), InvalidSpec);
}

TEST(online_ep_with_negative_sites_stays_a_posterior) {
  const Matrix x = dense::points(1, 60, 35);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::likelihood("student", {{"df", {2.0}}, {"scale", {0.05}}});
  Vector y = dense::numbers(x, 36, 0.05);
  y(7) += 8.0;
  y(30) -= 9.0;
  OnlineOptions options;
  options.sweeps = 30;
  const OnlineFit found = fit(*kernel, *likelihood, x, y, options);
  CHECK((found.states[0].site_precision.array() < 0.0).any());
  const dense::Marginals at = predict(*kernel, x, found, x);
  CHECK(at.mean.allFinite());
  CHECK((at.variance.array() >= 0.0).all());
  CHECK((at.variance.array() <= 1.5 + 1e-9).all());
}

// In order, along a smooth curve, almost without noise: where C is the difference of two matrices
// with entries of 10^8.
TEST(online_almost_no_noise) {
  Matrix x(1, 200);
  for (Index i = 0; i < 200; ++i) x(0, i) = -3.0 + 6.0 * static_cast<double>(i) / 199.0;
  const Vector y = x.row(0).transpose().array().sin();
  const auto kernel = dense::rbf(1.0, 1.0);
  for (const double noise : {1e-4, 1e-6, 1e-8}) {
    const auto likelihood = dense::gaussian(noise);
    for (const double novelty : {0.0, 1e-6, 1e-3}) {
      OnlineOptions options;
      options.novelty = novelty;
      const OnlineFit found = fit(*kernel, *likelihood, x, y, options);
      const dense::Marginals at = predict(*kernel, x, found, x);
      CHECK((at.mean - y).cwiseAbs().maxCoeff() < std::max(0.05, 10.0 * novelty));
      CHECK((at.variance.array() <= 1.0).all());
    }
    for (const Deletion deletion : {Deletion::reverse_kl, Deletion::forward_kl, Deletion::cheap}) {
      OnlineOptions options;
      options.budget = 12;
      options.deletion = deletion;
      const OnlineFit found = fit(*kernel, *likelihood, x, y, options);
      const dense::Marginals at = predict(*kernel, x, found, x);
      CHECK((at.mean - y).cwiseAbs().maxCoeff() < 0.2);
    }
  }
}

TEST(online_an_interrupt_passes_through) {
  struct Stop {};
  const Matrix x = dense::points(2, 50, 37);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::probit();
  Context ctx;
  int polls = 0;
  ctx.poll = [&] {
    if (++polls > 20) throw Stop();
  };
  CHECK_THROWS(fit_online(*kernel, *likelihood, x, dense::labels(x, 38), Vector::Zero(1), {},
                          OnlineOptions(), 1, ctx),
               Stop);
}
