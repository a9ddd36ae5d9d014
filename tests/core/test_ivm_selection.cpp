// Which rows the informative vector machine includes, and in which order.
#include <algorithm>

#include "ivm_helpers.h"
#include "models/ivm/pool_search.h"

using namespace gpsieve;
using namespace ivm_helpers;

TEST(ivm_full_search_follows_dense_recomputation_step_by_step) {
  const Matrix x = dense::points(2, 40, 1);
  const auto kernel = dense::rbf();
  const BoundKernel bound(*kernel, x);
  const Context ctx;
  for (const auto& likelihood : likelihoods())
    for (const Criterion criterion : {Criterion::entropy, Criterion::infogain}) {
      const double prior_mean = 0.4;
      const Vector y = responses(*likelihood, x, 2);
      const Matrix k = dense::gram(*kernel, x);
      const auto ref =
          dense::greedy_ivm(k, *likelihood, y, prior_mean, 20, criterion == Criterion::infogain);
      IvmState state(bound, *likelihood, y, prior_mean, plain(20, criterion));
      FullSearch search(state, 20, nullptr, ctx);
      for (Index step = 1; step <= 20; ++step) {
        CHECK(search.include_best());
        CHECK(state.size() == step);
        const Indices active(ref.active.begin(), ref.active.begin() + step);
        CHECK(state.active() == active);
        const auto now = dense::condition(k, active, ref.precision.head(step), ref.mean.head(step));
        check_near(search.mean(), now.mean, 1e-9);
        check_near(search.variance(), now.variance, 1e-9);
        check_plain(*kernel, *likelihood, x, y, prior_mean, state.finish(), 1e-9);
      }
    }
}

TEST(ivm_randomised_selection_from_all_rows_is_greedy) {
  const Matrix x = dense::points(2, 150, 3);
  const auto kernel = dense::rbf();
  for (const auto& likelihood : likelihoods())
    for (const Criterion criterion : {Criterion::entropy, Criterion::infogain}) {
      const Vector y = responses(*likelihood, x, 4);
      const auto ref = dense::greedy_ivm(dense::gram(*kernel, x), *likelihood, y, -0.2, 70,
                                         criterion == Criterion::infogain);
      for (const Index n_full : {0, 30, 70}) {
        const auto fit =
            fit_one(*kernel, *likelihood, x, y, -0.2, pooled(70, n_full, 150, 1.0, criterion), 8);
        CHECK(fit.posterior.basis == ref.active);
        check_near(fit.site_precision, ref.precision, 1e-9);
      }
    }
}

TEST(ivm_delayed_columns_resume_where_they_stopped) {
  const Matrix x = dense::points(2, 400, 5);
  KernelSpec sum = dense::leaf("sum", {});  // a point with itself is more than with its like
  sum.children = {dense::rbf_spec(1.5, {0.6}), dense::leaf("white", {{"variance", {0.1}}})};
  const auto kernel = make_kernel(sum, 2);
  for (const auto& likelihood : likelihoods())
    for (const Criterion criterion : {Criterion::entropy, Criterion::infogain, Criterion::random})
      for (const double retain : {0.0, 0.5}) {
        const Vector y = responses(*likelihood, x, 6);
        IvmOptions options = pooled(160, 20, 25, retain, criterion);
        options.n_random = 2;
        const auto fit = fit_one(*kernel, *likelihood, x, y, 0.3, options, 9);
        Indices rows = fit.posterior.basis;
        CHECK(rows.size() == 160);
        check_plain(*kernel, *likelihood, x, y, 0.3, fit, 1e-9);
        std::sort(rows.begin(), rows.end());
        CHECK(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
      }
}

// The selection index by its definition: after an inclusion the best `retain` share of `pool` rows
// stays, and rows drawn uniformly from all others fill it up. The draws are those of `rng`.
static Indices rows_by_index(const Matrix& k, const Likelihood& likelihood, const Vector& y,
                             double prior_mean, const IvmOptions& options, Rng rng) {
  const bool infogain = options.criterion == Criterion::infogain;
  dense::Ivm ivm;
  Indices index;
  while (static_cast<Index>(ivm.active.size()) < options.n_active) {
    const auto holds = [](const Indices& rows, Index row) {
      return std::find(rows.begin(), rows.end(), row) != rows.end();
    };
    while (static_cast<Index>(index.size()) < options.pool) {
      const Index row = rng.below(k.rows());
      if (!holds(index, row) && !holds(ivm.active, row)) index.push_back(row);
    }
    const auto now = dense::condition(k, ivm.active, ivm.precision, ivm.mean);
    const auto score = [&](Index row) {
      return dense::inclusion_score(likelihood, y(row), now.mean(row) + prior_mean,
                                    now.variance(row), infogain);
    };
    std::sort(index.begin(), index.end(), [&](Index a, Index b) {
      return score(a) > score(b) || (score(a) == score(b) && a < b);
    });
    const Index best = index.front();
    dense::add_site(ivm, likelihood, y(best), prior_mean, best, now.mean(best), now.variance(best));
    index.erase(index.begin());
    index.resize(static_cast<std::size_t>(options.retain * static_cast<double>(options.pool)));
  }
  return ivm.active;
}

TEST(ivm_selection_index_keeps_its_best_rows) {
  const Matrix x = dense::points(2, 200, 12);
  const auto kernel = dense::rbf();
  const Matrix k = dense::gram(*kernel, x);
  for (const auto& likelihood : likelihoods())
    for (const Criterion criterion : {Criterion::entropy, Criterion::infogain})
      for (const double retain : {0.0, 0.25, 0.5, 0.9}) {
        const Vector y = responses(*likelihood, x, 13);
        const IvmOptions options = pooled(30, 0, 20, retain, criterion);
        const auto fit = fit_one(*kernel, *likelihood, x, y, 0.2, options, 14);
        CHECK(fit.posterior.basis == rows_by_index(k, *likelihood, y, 0.2, options, Rng(14)));
      }
}

TEST(ivm_ties_go_to_the_lowest_row) {
  // Far apart and alike: every row scores the same at every step.
  const Matrix x = Vector::LinSpaced(30, 0.0, 2900.0).transpose();
  const Vector y = Vector::Ones(30);
  const auto kernel = dense::rbf();
  for (const Criterion criterion : {Criterion::entropy, Criterion::infogain})
    for (const Index n_full : {0, 4, 10}) {
      const auto fit =
          fit_one(*kernel, *dense::probit(), x, y, 0.0, pooled(10, n_full, 30, 1.0, criterion), 1);
      for (Index i = 0; i < 10; ++i) CHECK(fit.posterior.basis[i] == i);
    }
}
