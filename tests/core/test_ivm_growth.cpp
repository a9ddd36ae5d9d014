// The size of the active set by a selection that grows: models/ivm/theory.md#how-many-rows.
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "ivm_helpers.h"
#include "models/ivm/growth.h"
#include "models/ivm/selection.h"
#include "models/ivm/state.h"

using namespace ivm_helpers;

namespace {

GrowthOptions every(Index step, Index n) {
  GrowthOptions growth;
  growth.first_size = 5;
  for (Index row = 0; row < n; row += step) growth.aside.push_back(row);
  return growth;
}

}  // namespace

TEST(ivm_grown_in_steps_has_the_rows_of_one_growth) {
  const Matrix x = dense::points(2, 200, 40);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::probit();
  const Vector y = dense::labels(x, 41);
  const BoundKernel bound(*kernel, x);
  for (const Criterion criterion : {Criterion::entropy, Criterion::random}) {
    IvmOptions options = pooled(60, 15, 40, 0.5, criterion);
    options.n_random = 3;
    const auto active = [&](const Indices& sizes) {
      IvmState state(bound, *likelihood, y, 0.0, options);
      Rng rng(7);
      const Context ctx;
      Selection selection(state, nullptr, rng, ctx);
      for (const Index size : sizes) CHECK(selection.grow_to(size));
      CHECK(selection.grow_to(sizes.back() - 1));
      return state.active();
    };
    const Indices one = active({60});
    CHECK(one.size() == 60);
    CHECK(one == active({2, 10, 15, 16, 60}));
    CHECK(one == fit_one(*kernel, *likelihood, x, y, 0.0, options, 7).posterior.basis);
  }
}

TEST(ivm_growth_doubles_until_nothing_is_gained) {
  const Matrix x = dense::points(2, 200, 42);
  const auto kernel = dense::rbf();
  const Matrix y = dense::labels(x, 43);
  const auto grow = [&](const GrowthOptions& growth, Index most = 160) {
    return grow_ivm({*kernel, *dense::probit(), x, y, Vector::Zero(1)}, pooled(most, 20, 50, 0.5),
                    growth, 3, Context());
  };
  GrowthOptions growth = every(5, 200);
  growth.least_errors = -std::numeric_limits<double>::infinity();
  growth.least_gain = -std::numeric_limits<double>::infinity();
  const Growth all = grow(growth);  // every gain is enough
  const Indices doubled = {5, 10, 20, 40, 80, 160};
  CHECK(all.curve.size() == doubled.size());
  for (std::size_t i = 0; i < doubled.size(); ++i) CHECK(all.curve[i].size == doubled[i]);
  CHECK(all.size == 160);
  CHECK(grow(growth, 50).size == 50);

  growth.least_gain = std::numeric_limits<double>::infinity();  // none is
  for (growth.level = 1; growth.level <= 3; ++growth.level) {
    const Growth none = grow(growth);
    CHECK(none.size == 5);
    CHECK(none.curve.size() == static_cast<std::size_t>(growth.level) + 1);
  }
  growth.level = 9;  // the candidates end before
  CHECK(grow(growth).size == 160);
  CHECK_THROWS(grow(GrowthOptions()), InvalidSpec);
  growth.aside.resize(200);
  std::iota(growth.aside.begin(), growth.aside.end(), Index{0});
  CHECK_THROWS(grow(growth), InvalidSpec);
}

TEST(ivm_growth_repeats_whatever_the_threads_and_sums_over_machines) {
  const Matrix x = dense::points(2, 150, 44);
  const auto kernel = dense::rbf();
  Matrix y(150, 2);
  for (Index c = 0; c < 2; ++c) y.col(c) = dense::labels(x, 45 + static_cast<std::uint64_t>(c));
  IvmOptions options = plain(40);  // without random numbers
  options.refine = 2;
  GrowthOptions growth = every(3, 150);
  growth.level = 9;
  const auto grow = [&](const Matrix& labels, int threads) {
    Context ctx;
    ctx.threads = threads;
    return grow_ivm({*kernel, *dense::probit(), x, labels, Vector::Zero(labels.cols())}, options,
                    growth, 1, ctx);
  };
  const Growth both = grow(y, 1), threaded = grow(y, 3), first = grow(y.col(0), 1),
               second = grow(y.col(1), 2);
  CHECK(both.curve.size() == 4);
  for (std::size_t i = 0; i < both.curve.size(); ++i) {
    CHECK(both.curve[i].objective == threaded.curve[i].objective);
    CHECK_NEAR(both.curve[i].objective, first.curve[i].objective + second.curve[i].objective,
               1e-12);
  }
}

TEST(ivm_growth_ends_where_no_row_changes_the_posterior) {
  const Matrix x = dense::points(1, 50, 46);
  const auto kernel = dense::rbf(1e-150);
  const Growth found =
      grow_ivm({*kernel, *dense::probit(), x, Matrix::Ones(50, 1), Vector::Zero(1)},
               pooled(20, 5, 10, 0.5), every(5, 50), 1, Context());
  CHECK(found.size == 1);
  CHECK(found.curve.size() == 1);
  CHECK_NEAR(found.curve[0].objective, std::log(0.5), 1e-12);
}

TEST(ivm_growth_can_be_interrupted) {
  struct Interrupt {};
  const Matrix x = dense::points(2, 300, 47);
  const auto kernel = dense::rbf();
  Matrix y(300, 2);
  for (Index c = 0; c < 2; ++c) y.col(c) = dense::labels(x, 48 + static_cast<std::uint64_t>(c));
  for (const int threads : {1, 2}) {
    Context ctx;
    ctx.threads = threads;
    int polls = 0;
    ctx.poll = [&] {
      if (++polls == 3) throw Interrupt();
    };
    GrowthOptions growth = every(5, 300);
    growth.level = 9;
    CHECK_THROWS(
        grow_ivm({*kernel, *dense::probit(), x, y, Vector::Zero(2)}, plain(240), growth, 1, ctx),
        Interrupt);
  }
}
