// Rows absorbed in blocks: the filter that takes one row after the other, and the same bits however
// a stream is split (models/online/theory.md#blocks-of-rows).
#include <limits>

#include "base/error.h"
#include "isa_helpers.h"
#include "models/online/growing_symmetric.h"
#include "online_helpers.h"

using namespace online;
using dense::check_near;

namespace {

// A filter that forgets takes one row after the other; so little is not seen.
OnlineOptions one_by_one(OnlineOptions options) {
  options.persistence = 1.0 - 1e-15;
  return options;
}

void check_blocks_change_nothing(const Kernel& kernel, const Likelihood& likelihood,
                                 const Matrix& x, const Vector& y, const OnlineOptions& options,
                                 double tolerance) {
  const OnlineFit blocks = fit(kernel, likelihood, x, y, options, 0.3);
  const OnlineFit rows = fit(kernel, likelihood, x, y, one_by_one(options), 0.3);
  CHECK(blocks.states[0].basis == rows.states[0].basis);
  const double evidence = rows.states[0].log_evidence;
  CHECK_NEAR(blocks.states[0].log_evidence, evidence, tolerance * (1.0 + std::abs(evidence)));
  const dense::Marginals a = predict(kernel, x, blocks, x), b = predict(kernel, x, rows, x);
  check_near(a.mean, b.mean, tolerance * (1.0 + b.mean.cwiseAbs().maxCoeff()));
  check_near(a.variance, b.variance, tolerance * dense::diagonal(kernel, x).maxCoeff());
}

bool same(const PendingRows& a, const PendingRows& b) {
  return a.start == b.start && a.squares == b.squares && a.signs == b.signs && a.own == b.own;
}

// The state after the rows in calls of `step` rows. The basis refers to the rows of the stream.
OnlineState in_calls(const Kernel& kernel, const Likelihood& likelihood, const Matrix& x,
                     const Vector& y, const OnlineOptions& options, Index step) {
  OnlineState state;
  Indices rows;  // of the stream, of the basis points
  for (Index begin = 0; begin < y.size(); begin += step) {
    const Index n = std::min(step, y.size() - begin), held = static_cast<Index>(rows.size());
    Matrix both(x.rows(), held + n);
    both << dense::columns(x, rows), x.middleCols(begin, n);
    std::vector<OnlineState> states;
    if (begin > 0) states.push_back(state);
    state = fit(kernel, likelihood, both, y.segment(begin, n), options, 0.0, states).states[0];
    Indices now;
    for (const Index i : state.basis) now.push_back(i < held ? rows[i] : begin + i - held);
    rows = now;
    for (Index i = 0; i < static_cast<Index>(rows.size()); ++i) state.basis[i] = i;
  }
  state.basis = rows;
  return state;
}

}  // namespace

TEST(online_blocks_of_rows_are_the_rows_one_by_one) {
  const Matrix x = dense::points(3, 170, 80);
  const auto kernel = dense::rbf();
  for (const auto& likelihood : likelihoods())
    for (const double novelty : {1e-6, 0.02, 0.5}) {
      InOrder options;
      options.novelty = novelty;
      check_blocks_change_nothing(*kernel, *likelihood, x, responses(*likelihood, x, 81), options,
                                  1e-10);
    }
}

TEST(online_blocks_may_contain_a_row_that_they_visit_again) {
  const auto kernel = dense::rbf();
  for (const Index n : {Index{1}, Index{9}, Index{50}}) {
    const Matrix x = dense::points(2, n, 82);
    const auto likelihood = dense::probit();
    const Vector y = dense::labels(x, 83);
    InOrder options;
    options.novelty = 1e-9;
    options.sweeps = 3;
    options.sweep_type = SweepType::adf;
    const OnlineFit found = fit(*kernel, *likelihood, x, y, options);
    CHECK(static_cast<Index>(found.states[0].basis.size()) == n);
    Vector mean = Vector::Zero(n);
    Matrix covariance = dense::gram(*kernel, x);
    double log_evidence = 0.0;
    for (Index visit = 0; visit < 3 * n; ++visit) {
      const Index i = visit % n;
      const Tilted t = likelihood->tilted(y(i), mean(i), covariance(i, i));
      const Vector column = covariance.col(i);
      mean += t.d1 * column;
      covariance += t.d2 * column * column.transpose();
      if (visit < n) log_evidence += t.log_z;
    }
    const dense::Marginals at = predict(*kernel, x, found, x);
    check_near(at.mean, mean, 1e-7);
    check_near(at.variance, covariance.diagonal(), 1e-7);
    CHECK_NEAR(found.states[0].log_evidence, log_evidence, 1e-8);
  }
}

TEST(online_splitting_blocks_changes_no_bit_of_the_state) {
  const Matrix x = dense::points(3, 110, 84);
  const auto kernel = dense::rbf();
  for_each_isa([&](Isa) {
    for (const auto& likelihood : likelihoods())
      for (const Index budget : {kNoBudget, Index{45}})
        for (const double novelty : {1e-6, 0.1}) {
          const Vector y = responses(*likelihood, x, 85);
          InOrder options;
          options.budget = budget;
          options.novelty = novelty;
          const OnlineState whole = fit(*kernel, *likelihood, x, y, options).states[0];
          for (const Index step : {Index{1}, Index{5}, Index{32}, Index{33}, Index{100}}) {
            const OnlineState calls = in_calls(*kernel, *likelihood, x, y, options, step);
            CHECK(calls.basis == whole.basis && calls.mean == whole.mean);
            CHECK(calls.weights == whole.weights && calls.form == whole.form);
            CHECK(calls.whitening == whole.whitening && calls.precision == whole.precision);
            CHECK(calls.weight_variance == whole.weight_variance);
            CHECK(calls.stiffness == whole.stiffness);
            CHECK(calls.log_evidence == whole.log_evidence);
            CHECK(calls.since_refresh == whole.since_refresh);
            CHECK(calls.refreshed == whole.refreshed && same(calls.pending, whole.pending));
          }
        }
  });
}

TEST(online_pending_rows_are_in_the_posterior_and_leave_the_state_after_a_block) {
  const Matrix x = dense::points(2, 64, 86);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::gaussian(0.2);
  const Vector y = dense::numbers(x, 87);
  for (const Index n : {Index{1}, Index{31}, Index{32}, Index{33}, Index{64}}) {
    InOrder options;
    options.novelty = 0.01;
    const OnlineState s = fit(*kernel, *likelihood, x.leftCols(n), y.head(n), options).states[0];
    CHECK(s.pending.signs.size() == n % 32);
    CHECK(s.form == s.form.transpose());
    if (n % 32 == 0) {
      CHECK(s.pending.start.size() == 0);
      continue;
    }
    const Index b = s.form.rows(), b0 = b - s.pending.own.cols();
    Matrix sum = Matrix::Identity(b, b);
    sum.topLeftCorner(b0, b0) = GrowingSymmetric::from_lower(s.pending.start, b0, b0).block();
    sum += s.pending.squares * s.pending.signs.asDiagonal() * s.pending.squares.transpose();
    CHECK((sum - s.form).cwiseAbs().maxCoeff() < 1e-13);
    const Matrix w = s.whitening, one = Matrix::Identity(b, b);
    const Matrix k = dense::gram(*kernel, dense::columns(x, s.basis));
    CHECK((w * k * w.transpose() - one).cwiseAbs().maxCoeff() < 1e-9);
    CHECK(w.isLowerTriangular(0.0));
  }
}

TEST(online_blocks_of_degenerate_rows) {
  const auto likelihood = dense::gaussian(0.1);
  const Matrix equal = dense::points(2, 1, 88).replicate(1, 100);
  const Vector y = dense::numbers(equal, 89);
  InOrder options;
  // Equal rows have one basis point, also in a block that begins without one.
  const auto kernel = dense::rbf();
  CHECK(fit(*kernel, *likelihood, equal, y, options).states[0].basis == Indices{0});
  check_blocks_change_nothing(*kernel, *likelihood, equal, y, options, 1e-12);
  const Matrix first = equal.leftCols(1);
  check_blocks_change_nothing(*kernel, *likelihood, first, y.head(1), options, 1e-15);

  const Matrix x = dense::points(2, 100, 90);
  for (const double variance : {1e-200, 1e-20, 1e4})
    check_blocks_change_nothing(*dense::rbf(variance), *likelihood, x, dense::numbers(x, 91),
                                options, 1e-8);
  // No row is novel enough: the posterior stays the prior.
  options.novelty = 1.0;
  const OnlineState none = fit(*kernel, *likelihood, x, dense::numbers(x, 91), options).states[0];
  CHECK(none.basis.empty() && none.form.size() == 0 && none.pending.signs.size() == 0);
}

TEST(online_damaged_pending_rows_are_refused) {
  const Matrix x = dense::points(2, 40, 92), more = dense::points(2, 41, 92);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::probit();
  const InOrder options;
  const OnlineState good = fit(*kernel, *likelihood, x, dense::labels(x, 93), options).states[0];
  CHECK(good.pending.signs.size() == 8);
  const auto again = [&](const OnlineState& state, const OnlineOptions& with) {
    return fit(*kernel, *likelihood, more, Vector::Ones(1), with, 0.0, {state});
  };
  CHECK(again(good, options).states[0].pending.signs.size() == 9);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto changed = [&](auto change) {
    OnlineState state = good;
    change(state);
    CHECK_THROWS(again(state, options), InvalidSpec);
  };
  changed([](OnlineState& s) { s.refreshed = -1; });
  changed([](OnlineState& s) { s.refreshed = static_cast<Index>(s.basis.size()) + 1; });
  changed([](OnlineState& s) { s.pending.signs(1) = 0.5; });
  changed([](OnlineState& s) { s.pending.signs.resize(0); });
  changed([](OnlineState& s) { s.pending.signs = Vector::Ones(40); });
  changed([&](OnlineState& s) { s.pending.squares(1, 1) = nan; });
  changed([](OnlineState& s) { s.pending.squares.conservativeResize(3, Eigen::NoChange); });
  changed([&](OnlineState& s) { s.pending.start(0) = nan; });
  changed([](OnlineState& s) { s.pending.start.resize(0); });
  changed([](OnlineState& s) { s.pending.own(s.form.rows() - s.pending.own.cols(), 0) = 0.0; });
  changed([](OnlineState& s) { s.pending.own.resize(0, 0); });
  changed([&](OnlineState& s) { s.pending.own(0, 0) = nan; });
  // Where every row keeps a site there are no such rows.
  OnlineOptions kept = options;
  kept.novelty = 0.0;
  OnlineState sites = fit(*kernel, *likelihood, x, dense::labels(x, 93), kept).states[0];
  sites.pending = good.pending;
  CHECK_THROWS(again(sites, kept), InvalidSpec);
}
