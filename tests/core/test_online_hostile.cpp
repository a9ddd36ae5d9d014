// Online learning on degenerate data, with damaged states and with interrupts.
#include <limits>

#include "base/error.h"
#include "online_helpers.h"

using namespace online;
using dense::check_near;

TEST(online_repeated_rows_are_projected_exactly) {
  const Matrix x = dense::points(2, 15, 30), at = dense::points(2, 10, 31);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::gaussian(0.3);
  const Vector y = dense::numbers(x, 32);
  Matrix thrice(2, 45);
  Vector y_thrice(45);
  thrice << x, x, x;
  y_thrice << y, y, y;
  const OnlineFit found = fit(*kernel, *likelihood, thrice, y_thrice, InOrder());
  CHECK(found.states[0].basis.size() == 15);
  // Three equal observations say what one of a third of the variance says.
  const OnlineFit once = fit(*kernel, *dense::gaussian(0.1), x, y, InOrder());
  const dense::Marginals a = predict(*kernel, thrice, found, at), b = predict(*kernel, x, once, at);
  check_near(a.mean, b.mean, 1e-8);
  check_near(a.variance, b.variance, 1e-8);
}

TEST(online_a_damaged_state_is_refused) {
  const Matrix x = dense::points(2, 30, 33);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::probit();
  const Vector y = dense::labels(x, 34);
  InOrder options;
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
  changed([&](OnlineState& s) { s.weight_variance(0) = nan; });
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
  InOrder options;
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
TEST(online_is_accurate_with_very_small_noise) {
  Matrix x(1, 200);
  for (Index i = 0; i < 200; ++i) x(0, i) = -3.0 + 6.0 * static_cast<double>(i) / 199.0;
  const Vector y = x.row(0).transpose().array().sin();
  const auto kernel = dense::rbf(1.0, 1.0);
  for (const double noise : {1e-4, 1e-6, 1e-8}) {
    const auto likelihood = dense::gaussian(noise);
    for (const double novelty : {0.0, 1e-6, 1e-3}) {
      InOrder options;
      options.novelty = novelty;
      const OnlineFit found = fit(*kernel, *likelihood, x, y, options);
      const dense::Marginals at = predict(*kernel, x, found, x);
      CHECK((at.mean - y).cwiseAbs().maxCoeff() < std::max(0.05, 10.0 * novelty));
      CHECK((at.variance.array() <= 1.0).all());
    }
    for (const Deletion deletion : {Deletion::reverse_kl, Deletion::forward_kl, Deletion::cheap}) {
      InOrder options;
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
  CHECK_THROWS(fit_online({*kernel, *likelihood, x, dense::labels(x, 38), Vector::Zero(1)}, {},
                          InOrder(), 1, ctx),
               Stop);
}
