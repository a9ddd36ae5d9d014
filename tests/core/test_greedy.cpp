// The engines of the sparse greedy method against dense algebra.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "check.h"
#include "dense_reference.h"
#include "models/greedy/certificate.h"
#include "models/greedy/dual.h"
#include "models/greedy/error_bars.h"

using namespace gpsieve;
using dense::check_near;

static Matrix selected(const Matrix& k, const Indices& rows) { return dense::columns(k, rows); }

// min over coefficients of the chosen functions of Q.
static double best_q(const Matrix& k, const Vector& y, double noise, const Indices& rows) {
  const Matrix kb = selected(k, rows);
  Matrix inner(kb.cols(), kb.cols());
  for (Index i = 0; i < inner.rows(); ++i) inner.row(i) = kb.row(rows[i]);
  const Matrix a = kb.transpose() * kb + noise * inner;
  const Vector b = kb.transpose() * y;
  return -0.5 * b.dot(Eigen::LLT<Matrix>(a).solve(b));
}

static Indices first_rows(Index n) {
  Indices rows;
  for (Index j = 0; j < n; ++j) rows.push_back(j);
  return rows;
}

struct Problem {
  explicit Problem(Index m, double lengthscale = 0.8, double variance = 1.5)
      : x(dense::points(2, m, 3)),
        y(dense::numbers(x, 4)),
        kernel(dense::rbf(variance, lengthscale)),
        k(dense::gram(*kernel, x)),
        bound(*kernel, x) {}
  Matrix x;
  Vector y;
  std::unique_ptr<Kernel> kernel;
  Matrix k;
  BoundKernel bound;
};

TEST(greedy_gain_is_the_decrease_with_all_coefficients_fitted_again) {
  const Problem p(60);
  const double noise = 0.2;
  GreedyRegression engine(p.bound, p.y, noise, 20);
  Indices basis;
  for (const Index j : {5, 40, 12, 33, 59}) {
    CHECK(engine.add(j, Context()));
    basis.push_back(j);
    CHECK_NEAR(engine.objective(), best_q(p.k, p.y, noise, basis), 1e-10);
    const Indices all = first_rows(60);
    const Vector gains = engine.gains(all, Context());
    for (const Index c : {0, 17, 44}) {
      Indices more = basis;
      more.push_back(c);
      CHECK_NEAR(gains(c), engine.objective() - best_q(p.k, p.y, noise, more), 1e-9);
    }
    for (const Index c : basis) CHECK(gains(c) == -1.0);
  }
  CHECK(!engine.add(5, Context()));
  CHECK(engine.size() == 5);
  check_near(engine.fitted() + engine.residual(), p.y, 1e-14);
}

TEST(greedy_columns_stay_orthogonal_where_the_matrix_is_nearly_singular) {
  const Problem p(120, 3.0);
  const double noise = 1e-4;
  GreedyRegression engine(p.bound, p.y, noise, 120);
  for (Index j = 0; j < 120; ++j) engine.add(j, Context());
  CHECK(engine.size() > 20);
  CHECK(engine.size() < 120);  // some lie in the span of the others
  // L L' = A makes [V; U] orthonormal: V'V + s2 L^-1 K_BB L^-T = I.
  const auto v = engine.basis().columns();
  const Matrix l = engine.basis().factor();
  Matrix inner = engine.kernel_factor();
  inner = l.triangularView<Eigen::Lower>().solve(inner).eval();
  const Matrix defect = v.transpose() * v + noise * inner * inner.transpose() -
                        Matrix::Identity(engine.size(), engine.size());
  CHECK_NEAR(defect.cwiseAbs().maxCoeff(), 0.0, 1e-9);
  const Vector exact =
      p.k * Eigen::LLT<Matrix>(p.k + noise * Matrix::Identity(120, 120)).solve(p.y);
  check_near(engine.fitted(), exact, 1e-5);
}

TEST(greedy_pool_follows_recomputed_gains) {
  const Problem p(70);
  const double noise = 0.1;
  const Indices all = first_rows(70);
  for (const double bytes : {0.0, 1e9}) {
    const KernelOperator op(p.bound, bytes, Context());
    CHECK(op.stored() == (bytes > 0.0));
    check_near(op.times(p.y, Context()), p.k * p.y, 1e-12);
    check_near(op.column_squared_norms(Context()), p.k.colwise().squaredNorm(), 1e-12);
    GreedyRegression engine(p.bound, p.y, noise, 30);
    FullPool pool(engine, p.y, op, Context());
    for (Index step = 0; step < 25; ++step) {
      const Vector gains = pool.gains(engine);
      check_near(gains, engine.gains(all, Context()), 1e-7);
      Index best;
      gains.maxCoeff(&best);
      CHECK(engine.add(best, Context()));
      pool.update(engine, Context());
      check_near(pool.slopes(), p.k * engine.residual() - noise * engine.fitted(), 1e-10);
      // The dense dual point bounds the exact minimum.
      const double lower = engine.objective() - dense_gap(engine, pool.slopes());
      const double least = best_q(p.k, p.y, noise, all);
      CHECK(lower <= least + 1e-9);
      CHECK(engine.objective() >= least - 1e-9);
    }
  }
}

TEST(greedy_residual_kernel_is_the_schur_complement) {
  const Problem p(50);
  GreedyRegression engine(p.bound, p.y, 0.3, 10, true);
  Indices basis;
  for (const Index j : {3, 30, 21, 48}) {
    engine.add(j, Context());
    basis.push_back(j);
    const Matrix kb = selected(p.k, basis);
    Matrix inner(kb.cols(), kb.cols());
    for (Index i = 0; i < inner.rows(); ++i) inner.row(i) = kb.row(basis[i]);
    const Matrix left = p.k - kb * Eigen::LLT<Matrix>(inner).solve(kb.transpose());
    check_near(engine.residual_kernel(), left.diagonal(), 1e-10);
  }
}

TEST(greedy_dual_is_regression_on_its_rows_alone) {
  const Problem p(60);
  const double noise = 0.2;
  GreedyDual dual(p.bound, p.y, noise, 60);
  Indices rows;
  for (Index step = 0; step < 60; ++step) {
    const Index j = dual.best(nullptr);
    dual.add(j, Context());
    rows.push_back(j);
    Matrix inner(step + 1, step + 1);
    Vector y(step + 1);
    for (Index i = 0; i <= step; ++i) {
      y(i) = p.y(rows[i]);
      for (Index l = 0; l <= step; ++l)
        inner(i, l) = p.k(rows[i], rows[l]) + (i == l ? noise : 0.0);
    }
    CHECK_NEAR(dual.objective(), -0.5 * y.dot(Eigen::LLT<Matrix>(inner).solve(y)), 1e-10);
  }
  CHECK(dual.best(nullptr) == -1);
  const Indices some = {4, 9};
  GreedyDual fresh(p.bound, p.y, noise, 2);
  CHECK(fresh.best(&some) == (std::abs(p.y(4)) >= std::abs(p.y(9)) ? 4 : 9));
}

TEST(greedy_newton_gains_are_newton_decrements) {
  const Problem p(40);
  const auto likelihood = dense::probit();
  const Vector labels = dense::labels(p.x, 4);
  GreedyNewton engine(p.bound, *likelihood, labels, 0.2, 20);
  for (const Index j : {7, 31, 15}) {
    engine.add(j, Context());
    engine.solve(1e-14, Context());
    const Indices candidates = {0, 12, 39};
    const Vector gains = engine.gains(candidates, Context());
    for (Index t = 0; t < 3; ++t) {
      GreedyNewton more(p.bound, *likelihood, labels, 0.2, 20);
      for (const Index i : engine.basis().chosen()) more.add(i, Context());
      more.add(candidates[t], Context());
      const Matrix z = more.basis().columns();
      const auto& state = engine.state();
      Vector gradient = z.transpose() * state.slope();
      gradient.head(engine.size()) += state.coordinates();
      const Matrix b =
          Matrix::Identity(z.cols(), z.cols()) + z.transpose() * state.curvature().asDiagonal() * z;
      CHECK_NEAR(gains(t), 0.5 * gradient.dot(Eigen::LLT<Matrix>(b).solve(gradient)), 1e-6);
    }
  }
}

TEST(greedy_newton_stays_at_the_minimum_which_is_above_the_bound) {
  const Problem p(40);
  for (const char* name : {"probit", "logit"}) {
    const auto likelihood =
        std::string(name) == "probit" ? dense::probit() : dense::likelihood("logit");
    const Vector labels = dense::labels(p.x, 4);
    const KernelOperator op(p.bound, 0.0, Context());
    GreedyNewton whole(p.bound, *likelihood, labels, 0.0, 40);
    for (Index j = 0; j < 40; ++j)
      if (!whole.in_span(j)) whole.add(j, Context());
    whole.finish(1e-15, Context());
    CHECK_NEAR(gradient_gap(whole, GradientBound::exact, 10, op, Context()), 0.0, 1e-8);
    GreedyNewton engine(p.bound, *likelihood, labels, 0.0, 12);
    for (Index j = 0; j < 12; ++j) {
      engine.add(j, Context());
      if (j % 4 == 0) {
        engine.solve(1e-12, Context());
      } else {
        engine.border_step(Context());
      }
      const double excess = engine.state().objective() - whole.state().objective();
      const double exact = gradient_gap(engine, GradientBound::exact, 10, op, Context());
      const double block = gradient_gap(engine, GradientBound::block, 7, op, Context());
      const double cheap = gradient_gap(engine, GradientBound::cheap, 10, op, Context());
      CHECK(excess >= -1e-9);
      CHECK(exact >= excess - 1e-9);
      CHECK(block >= exact - 1e-9);
      CHECK(cheap >= block - 1e-9);
    }
    const Matrix z = engine.basis().columns();
    engine.finish(1e-15, Context());
    const Vector gradient = z.transpose() * engine.state().slope() + engine.state().coordinates();
    CHECK_NEAR(gradient.cwiseAbs().maxCoeff(), 0.0, 1e-9);
  }
}

// Rows 0 and 1 are next to each other, and their difference explains much of the far row 3: only
// once that is explained the pivot of row 1 is not small beside what it explains elsewhere.
TEST(greedy_newton_rows_wait_while_their_pivots_are_too_small) {
  Matrix x(1, 5);
  x << 0.0, 1e-3, 0.7, 1.4, 2.1;
  const auto kernel = dense::rbf(1.0, 1.0);
  const BoundKernel bound(*kernel, x);
  const auto likelihood = dense::likelihood("logit");
  const Vector labels = (Vector(5) << 1, -1, 1, 1, -1).finished();
  GreedyNewton engine(bound, *likelihood, labels, 0.0, 5);
  CHECK(engine.add(0, Context()));
  CHECK(!engine.in_span(1) && !engine.add(1, Context()));
  CHECK(engine.size() == 1);
  for (const Index j : {4, 2, 3}) CHECK(engine.add(j, Context()));
  CHECK(engine.add(1, Context()));
  CHECK(!engine.add(1, Context()));
}

TEST(greedy_newton_fits_more_functions_than_a_smooth_kernel_has) {
  const Matrix x = dense::points(1, 200, 3);
  const auto kernel = dense::rbf(2.0, 1.5);
  const BoundKernel bound(*kernel, x);
  const Vector numbers = dense::numbers(x, 4);
  const auto likelihood = make_likelihood({"student", {{"df", {4.0}}, {"scale", {0.1}}}});
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    GreedyOptions options;
    options.n_basis = 60;
    options.candidates = 59;
    const GreedyResult fit =
        fit_greedy({*kernel, *likelihood, x, numbers, Vector::Zero(1)}, options, seed, Context());
    CHECK(std::isfinite(fit.latents[0].log_evidence));
    CHECK(fit.latents[0].posterior.basis.size() < 40);
  }
}

static GreedyOptions sized(Index n, GreedyRule rule = GreedyRule::gain, Index candidates = 7) {
  GreedyOptions options;
  options.n_basis = n;
  options.rule = rule;
  options.candidates = candidates;
  return options;
}

static void check_identical(const GreedyResult& a, const GreedyResult& b) {
  CHECK(a.latents.size() == b.latents.size());
  for (std::size_t c = 0; c < a.latents.size(); ++c) {
    CHECK(a.latents[c].posterior.basis == b.latents[c].posterior.basis);
    CHECK(a.latents[c].posterior.weights == b.latents[c].posterior.weights);
    CHECK(a.latents[c].posterior.up.factor == b.latents[c].posterior.up.factor);
    CHECK(a.latents[c].evidence_gradient == b.latents[c].evidence_gradient);
    CHECK(a.certificates[c].lower == b.certificates[c].lower);
  }
}

TEST(greedy_threads_change_no_bit) {
  const Problem p(700);
  const auto gaussian = dense::gaussian(0.1);
  const auto probit = dense::probit();
  const Matrix numbers = p.y, labels = dense::labels(p.x, 4);
  for (const GreedyRule rule : {GreedyRule::gain, GreedyRule::pivot, GreedyRule::random})
    for (const Index candidates : {0, 30}) {
      GreedyResult reference[2];
      for (const int threads : {1, 2, 3}) {
        Context ctx;
        ctx.threads = threads;
        const GreedyResult fits[2] = {
            fit_greedy({*p.kernel, *gaussian, p.x, numbers, Vector::Zero(1)},
                       sized(40, rule, candidates), 5, ctx),
            fit_greedy({*p.kernel, *probit, p.x, labels, Vector::Zero(1)},
                       sized(20, rule, candidates), 5, ctx)};
        for (int f = 0; f < 2; ++f) {
          if (threads == 1) reference[f] = fits[f];
          check_identical(fits[f], reference[f]);
        }
      }
    }
}

TEST(greedy_machines_of_several_classes_are_those_of_each_class) {
  const Problem p(80);
  const auto likelihood = dense::likelihood("logit");
  Matrix y(80, 3);
  for (Index c = 0; c < 3; ++c) y.col(c) = dense::labels(p.x, 4 + c);
  Context ctx;
  ctx.threads = 2;
  const GreedyResult together =
      fit_greedy({*p.kernel, *likelihood, p.x, y, Vector::Zero(3)}, sized(10), 5, ctx);
  CHECK(together.latents.size() == 3);
  CHECK(together.certificates.size() == 3);
  const GreedyResult first = fit_greedy(
      {*p.kernel, *likelihood, p.x, y.leftCols(1), Vector::Zero(1)}, sized(10), 5, Context());
  CHECK(together.latents[0].posterior.weights == first.latents[0].posterior.weights);
}

TEST(greedy_is_interrupted_wherever_it_polls) {
  struct Interrupt {};
  const Problem p(200);
  const auto gaussian = dense::gaussian(0.1);
  const auto likelihood = dense::likelihood("logit");
  const Matrix numbers = p.y, labels = dense::labels(p.x, 4);
  int polls = 0, last = -1;
  Context ctx;
  ctx.poll = [&] {
    if (++polls == last) throw Interrupt();
  };
  const auto run = [&](bool regression) {
    polls = 0;
    fit_greedy({*p.kernel, regression ? *gaussian : *likelihood, p.x, regression ? numbers : labels,
                Vector::Zero(1)},
               sized(6), 5, ctx);
  };
  for (const bool regression : {true, false}) {
    last = -1;
    run(regression);
    const int total = polls;
    CHECK(total > 30);
    for (last = 1; last <= total; last += 7) CHECK_THROWS(run(regression), Interrupt);
  }
}

TEST(greedy_refuses_what_does_not_fit) {
  const Problem p(20);
  const auto gaussian = dense::gaussian(0.1);
  const Matrix y = p.y;
  const auto fit = [&](const GreedyOptions& options) {
    return fit_greedy({*p.kernel, *gaussian, p.x, y, Vector::Zero(1)}, options, 1, Context());
  };
  CHECK_THROWS(fit(sized(21)), InvalidSpec);
  CHECK_THROWS(fit(sized(5, GreedyRule::gain, -1)), InvalidSpec);
  GreedyOptions listed = sized(2);
  listed.candidate_lists = {{0, 1}, {20}};
  CHECK_THROWS(fit(listed), InvalidSpec);
  CHECK_THROWS(fit_greedy({*p.kernel, *gaussian, p.x, y.topRows(19), Vector::Zero(1)}, sized(3), 1,
                          Context()),
               InvalidSpec);
}

TEST(greedy_error_bars_enclose_the_exact_variance) {
  const Problem p(60);
  const double noise = 0.1;
  const Matrix at = dense::points(2, 8, 77);
  const Matrix between = dense::cross(*p.kernel, p.x, at);
  const auto exact = dense::condition(p.k, between, dense::diagonal(*p.kernel, at),
                                      Vector::Constant(60, 1.0 / noise), p.y);
  for (const bool explained : {true, false})
    for (const double tol : {0.3, 1e-5}) {
      const Matrix bars =
          greedy_error_bars(*p.kernel, p.x, noise, at, {tol, 60, explained, 1e9}, Context());
      for (Index j = 0; j < 8; ++j) {
        CHECK(bars(0, j) <= exact.variance(j) + 1e-9);
        CHECK(bars(1, j) >= exact.variance(j) - 1e-9);
        CHECK(bars(1, j) - bars(0, j) <= tol * (p.kernel ? 1.5 + noise : 0.0) + 1e-9);
      }
    }
}

TEST(greedy_pivoted_rows_take_the_largest_residual_variance) {
  const Problem p(40);
  const Indices rows = pivoted_rows(*p.kernel, p.x, 10, Context());
  CHECK(rows.size() == 10);
  for (std::size_t n = 1; n < rows.size(); ++n) {
    const Indices before(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n));
    const Matrix kb = selected(p.k, before);
    Matrix inner(kb.cols(), kb.cols());
    for (Index i = 0; i < inner.rows(); ++i) inner.row(i) = kb.row(before[i]);
    const Vector left = (p.k - kb * Eigen::LLT<Matrix>(inner).solve(kb.transpose())).diagonal();
    CHECK_NEAR(left(rows[n]), left.maxCoeff(), 1e-10);
  }
}
