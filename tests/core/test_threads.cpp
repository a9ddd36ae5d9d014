// Work that threads share inside one fit, at sizes for which they are woken: the same bits for 1, 2
// and 3 threads.
#include <vector>

#include "check.h"
#include "dense_reference.h"
#include "ep_helpers.h"
#include "likelihood/predictions.h"
#include "models/ep/ep.h"
#include "models/greedy/newton/newton.h"
#include "models/greedy/regression.h"

using namespace gpsieve;
using dense::check_near;

namespace {

Context with_threads(int threads) {
  Context ctx;
  ctx.threads = threads;
  return ctx;
}

// of(context), a list of matrices, for 1, 2 and 3 threads.
template <class Of>
void check_same_bits(const Of& of) {
  const std::vector<Matrix> one = of(with_threads(1));
  for (const int threads : {2, 3}) {
    const std::vector<Matrix> more = of(with_threads(threads));
    CHECK(more.size() == one.size());
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(more[i] == one[i]);
  }
}

Indices every(Index step, Index count) {
  Indices rows;
  for (Index i = 0; i < count; ++i) rows.push_back(i * step);
  return rows;
}

struct Greedy {
  Matrix x = dense::points(4, 9000, 3);
  Vector y = dense::numbers(x, 4), labels = dense::labels(x, 4);
  std::unique_ptr<Kernel> kernel = dense::rbf(1.5, 0.8);
  BoundKernel bound{*kernel, x};
};

}  // namespace

TEST(sums_over_chunks_of_rows_do_not_depend_on_threads) {
  const Matrix z = dense::points(60, 45000, 1).transpose();
  const Matrix v = dense::points(2, 45000, 2).transpose();
  const Vector w = v.col(0), beta = dense::points(60, 1, 5).col(0);
  check_same_bits([&](const Context& ctx) {
    Vector along = v.col(1);
    add_along_span(z, beta, along, ctx);
    Vector also;
    const Vector slope = v.col(1);
    const OntoSpan onto{slope, also};
    return std::vector<Matrix>{onto_span(z, v, ctx), along,
                               identity_plus_gram(z, w, ctx, &onto).triangularView<Eigen::Lower>(),
                               also};
  });
  Vector also;
  const Vector slope = v.col(1);
  const OntoSpan onto{slope, also};
  const Matrix gram = identity_plus_gram(z, w, Context(), &onto);
  const Matrix dense = Matrix::Identity(60, 60) + z.transpose() * w.asDiagonal() * z;
  CHECK((gram - dense).triangularView<Eigen::Lower>().toDenseMatrix().norm() < 1e-9 * dense.norm());
  check_near(also, z.transpose() * slope, 1e-8);
  check_near(onto_span(z, v, Context()).col(0), z.transpose() * v.col(0), 1e-8);
}

TEST(a_large_gram_is_the_same_as_many_small_ones) {
  const Matrix z = dense::points(520, 2100, 1).transpose();
  const Vector w = dense::points(1, 2100, 2).row(0).transpose();
  check_same_bits([&](const Context& ctx) {
    return std::vector<Matrix>{identity_plus_gram(z, w, ctx).triangularView<Eigen::Lower>()};
  });
  const Matrix dense = Matrix::Identity(520, 520) + z.transpose() * w.asDiagonal() * z;
  const Matrix gram = identity_plus_gram(z, w, Context());
  CHECK((gram - dense).triangularView<Eigen::Lower>().toDenseMatrix().norm() <
        1e-10 * dense.norm());
}

TEST(greedy_gains_and_steps_do_not_depend_on_threads) {
  const Greedy p;
  const Indices basis = every(101, 50), candidates = every(67, 70);
  check_same_bits([&](const Context& ctx) {
    GreedyRegression engine(p.bound, p.y, 0.1, 60);
    for (const Index j : basis) engine.add(j, ctx);
    return std::vector<Matrix>{engine.gains(candidates, ctx), engine.weights(), engine.residual()};
  });
  const auto probit = dense::probit();
  check_same_bits([&](const Context& ctx) {
    GreedyNewton engine(p.bound, *probit, p.labels, 0.1, 60);
    for (const Index j : basis) {
      engine.add(j, ctx);
      if (engine.size() % 10 == 0)
        engine.solve(1e-9, ctx);
      else
        engine.border_step(ctx);
    }
    return std::vector<Matrix>{engine.gains(candidates, ctx), engine.state().coordinates(),
                               engine.state().latent()};
  });
}

// A function that was judged before it is added brings its column with it.
TEST(greedy_columns_of_judged_candidates_are_those_computed_anew) {
  const Greedy p;
  const auto probit = dense::probit();
  GreedyNewton judged(p.bound, *probit, p.labels, 0.1, 60),
      other(p.bound, *probit, p.labels, 0.1, 60);
  for (const Index j : every(101, 20)) {
    judged.gains({j, j + 1}, Context());
    for (GreedyNewton* engine : {&judged, &other}) {
      engine->add(j, Context());
      engine->solve(1e-9, Context());
    }
  }
  check_near(judged.state().latent(), other.state().latent(), 1e-9);
}

TEST(minibatches_of_a_shared_factor_do_not_depend_on_threads) {
  const Matrix x = dense::points(2, 500, 1), z = x.leftCols(300);
  const Matrix y = dense::labels(x, 2);
  for (const bool learn : {false, true})
    check_same_bits([&](const Context& ctx) {
      const auto kernel = dense::rbf(0.8, 0.2);
      const auto factors = ep::factors({"probit", {{"noise", {1.0}}}}, y);
      MemoryRows rows(x);
      LocalPasses passes(rows);
      EpFitOptions options;
      options.schedule = Schedule::sep;
      options.damping = 1.0;
      options.batch_size = 200;
      options.iterations = 4;
      options.learning.free = {learn, learn, false};
      options.learning.group = {0, 1, 2};
      options.learning.inducing = learn;
      options.learning.optimiser = StepRule::adam;
      const EpFit fit =
          fit_ep({*kernel, *factors, passes, z, {nullptr, x.leftCols(0)}, 3}, options, {}, ctx);
      const SparsePosterior& posterior = fit.result.latents[0].posterior;
      return std::vector<Matrix>{posterior.weights, posterior.up.factor, fit.kernel_params,
                                 fit.inducing, Matrix::Constant(1, 1, fit.evidence.log_z)};
    });
}

TEST(probabilities_of_being_the_largest_do_not_depend_on_threads) {
  const Matrix mean = dense::points(70, 4, 1), variance = dense::points(70, 4, 2).cwiseAbs2();
  check_same_bits([&](const Context& ctx) {
    return std::vector<Matrix>{log_argmax_probabilities(0.5, mean, variance, ctx)};
  });
}
