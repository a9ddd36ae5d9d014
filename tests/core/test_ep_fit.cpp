// Whole fits: learning, threads, interrupts, held-out rows.
#include <limits>

#include "base/error.h"
#include "check.h"
#include "ep_helpers.h"
#include "models/ep/ep.h"
#include "models/ep/parameters.h"
#include "sparse_ep/converged_evidence.h"

using namespace gpsieve;
using dense::check_near;

namespace {

const StepRule kRules[] = {StepRule::adadelta, StepRule::adam, StepRule::sign_adaptive};

EpFit fit_in_memory(Kernel& kernel, Factors& factors, const Matrix& x, const Matrix& z,
                    const HeldOut& held_out, const EpFitOptions& options, std::uint64_t seed,
                    const Context& ctx) {
  MemoryRows rows(x);
  LocalPasses passes(rows);
  return fit_ep({kernel, factors, passes, z, held_out, seed}, options, {}, ctx);
}

struct Problem {
  explicit Problem(Index n, Index m = 10, std::uint64_t seed = 1)
      : x(dense::points(2, n, seed)), y(dense::labels(x, seed + 1)), z(x.leftCols(m)) {}
  EpFit fit(const EpFitOptions& options, const Context& ctx = Context(),
            std::uint64_t seed = 3) const {
    const auto kernel = dense::rbf(0.8, 0.5);
    const auto factors = ep::factors({"probit", {{"noise", {1.0}}}}, y);
    return fit_in_memory(*kernel, *factors, x, z, {nullptr, x.leftCols(0)}, options, seed, ctx);
  }
  Matrix x, y, z;
};

EpFitOptions learning(Schedule schedule, StepRule rule, Index iterations, Index batch = 0) {
  EpFitOptions options;
  options.schedule = schedule;
  options.damping = batch > 0 ? 1.0 : 0.5;
  options.batch_size = batch;
  options.iterations = iterations;
  options.learning.free = {true, true, false};
  options.learning.group = {0, 1, 2};
  options.learning.inducing = true;
  options.learning.optimiser = rule;
  options.learning.rate = rule == StepRule::adadelta ? 1.0 : 0.01;
  return options;
}

const Schedule kSchedules[] = {Schedule::ep, Schedule::sep, Schedule::adf};

}  // namespace

TEST(parameters_move_within_their_bounds) {
  const Problem problem(20, 4);
  const auto kernel = dense::rbf(2.0, 0.5);
  const auto factors = ep::factors({"probit", {{"noise", {0.7}}}}, problem.y);
  EpLearning learning;
  learning.free = {true, false, true};
  learning.inducing = true;
  EpParameters parameters(*kernel, *factors, problem.z, learning);
  CHECK(parameters.size() == 2 + problem.z.size());
  CHECK_NEAR(parameters.values()(0), std::log(2.0), 1e-14);
  CHECK_NEAR(parameters.values()(1), std::log(0.7), 1e-14);
  CHECK(parameters.inducing() == problem.z);
  Vector step = Vector::Zero(parameters.size());
  step.head(3) << 5.0, -0.1, 5.0;
  parameters.move(parameters.values(), step);
  // Log parameters by at most 1 a step, inducing inputs without a bound.
  CHECK_NEAR(kernel->params()(0), std::log(2.0) + 1.0, 1e-14);
  CHECK_NEAR(kernel->params()(1), std::log(0.5), 1e-14);
  CHECK_NEAR(factors->params()(0), std::log(0.7) - 0.1, 1e-14);
  CHECK_NEAR(parameters.inducing()(0, 0), problem.z(0, 0) + 5.0, 1e-14);
  for (int i = 0; i < 30; ++i) parameters.move(parameters.values(), step);
  CHECK_NEAR(kernel->params()(0), std::log(2.0) + 10.0, 1e-13);
  const Indices groups = parameters.groups({0, 1, 1});
  CHECK(groups[0] == 0 && groups[1] == 1 && groups[2] == 2);
  CHECK(groups.back() == 1 + problem.z.size());
}

TEST(learning_raises_the_evidence_and_moves_only_what_is_free) {
  const Problem problem(150);
  EpFitOptions still;
  still.schedule = Schedule::ep;
  const EpFit before = problem.fit(still);
  CHECK(before.result.converged && before.inducing == problem.z);
  CHECK_NEAR(before.kernel_params(1), std::log(0.5), 1e-14);
  for (const StepRule rule : kRules) {
    const EpFit after = problem.fit(learning(Schedule::ep, rule, 200));
    CHECK(after.evidence.log_z > before.evidence.log_z + 1.0);
    CHECK_NEAR(after.likelihood_params(0), 0.0, 1e-14);
    CHECK((after.inducing - problem.z).cwiseAbs().maxCoeff() > 1e-3);
  }
}

TEST(learning_in_minibatches_raises_the_evidence_too) {
  const Problem problem(200);
  for (const Schedule schedule : {Schedule::ep, Schedule::sep}) {
    EpFitOptions still;
    still.schedule = schedule;
    const double before = problem.fit(still).evidence.log_z;
    const EpFit after = problem.fit(learning(schedule, StepRule::adam, 400, 40));
    CHECK(after.evidence.log_z > before + 1.0);
    CHECK(after.result.latents[0].trace.back().iteration == 400);
  }
}

TEST(a_fit_has_the_same_bits_whatever_the_threads) {
  const Problem problem(1500, 30);
  for (const Schedule schedule : kSchedules)
    for (const Index batch : {0, 600}) {
      std::vector<EpFit> fits;
      for (const int threads : {1, 2, 3}) {
        Context ctx;
        ctx.threads = threads;
        fits.push_back(problem.fit(learning(schedule, StepRule::adam, 4, batch), ctx));
      }
      for (const EpFit& fit : fits) {
        CHECK(fit.kernel_params == fits[0].kernel_params);
        CHECK(fit.inducing == fits[0].inducing);
        CHECK(fit.evidence.log_z == fits[0].evidence.log_z);
        CHECK(fit.evidence.kernel == fits[0].evidence.kernel);
        CHECK(fit.evidence.inputs == fits[0].evidence.inputs);
        const SparsePosterior &one = fit.result.latents[0].posterior,
                              &other = fits[0].result.latents[0].posterior;
        CHECK(one.weights == other.weights && one.up.factor == other.up.factor);
        CHECK(fit.result.latents[0].site_precision == fits[0].result.latents[0].site_precision);
        CHECK(fit.result.latents[0].cavity_mean == fits[0].result.latents[0].cavity_mean);
      }
    }
}

TEST(the_seed_shuffles_minibatches_and_nothing_else) {
  const Problem problem(120);
  for (const bool shuffle : {true, false}) {
    EpFitOptions options = learning(Schedule::sep, StepRule::adadelta, 12, 30);
    options.shuffle = shuffle;
    const EpFit one = problem.fit(options, Context(), 1), same = problem.fit(options, Context(), 1),
                other = problem.fit(options, Context(), 2);
    CHECK(one.kernel_params == same.kernel_params);
    CHECK((one.kernel_params == other.kernel_params) == !shuffle);
  }
  const EpFitOptions whole = learning(Schedule::sep, StepRule::adadelta, 12);
  CHECK(problem.fit(whole, Context(), 1).inducing == problem.fit(whole, Context(), 2).inducing);
}

TEST(a_fit_stops_at_an_interrupt_at_any_point) {
  struct Stop {};
  const Problem problem(600, 20);
  for (const Schedule schedule : kSchedules) {
    Index polls = 0;
    double last = 0.0;
    Context counting;
    counting.poll = [&] { ++polls; };
    counting.progress = [&](const Progress& p) {
      CHECK(p.done >= last && p.done <= 1.0);
      last = p.done;
    };
    problem.fit(learning(schedule, StepRule::adam, 20, 200), counting);
    CHECK(polls > 60);  // more than one in a minibatch
    CHECK_NEAR(last, 1.0, 1e-12);
    for (const Index at : {Index{1}, Index{2}, polls / 3, polls / 2, polls - 1, polls}) {
      Index left = at;
      Context stops;
      stops.poll = [&] {
        if (--left == 0) throw Stop();
      };
      CHECK_THROWS(problem.fit(learning(schedule, StepRule::adam, 20, 200), stops), Stop);
    }
  }
}

TEST(held_out_rows_decide_which_state_stays) {
  const Problem problem(120, 25), other(80, 1, 50);
  const auto loss_of = [&](Index iterations, Index patience, EpFit& fit) {
    const auto kernel = dense::rbf(3.0, 0.1);
    const auto factors = ep::factors({"probit", {{"noise", {1.0}}}}, problem.y);
    const auto held = ep::factors({"probit", {{"noise", {1.0}}}}, other.y);
    EpFitOptions options = learning(Schedule::sep, StepRule::adam, iterations);
    options.learning.rate = 0.1;
    options.patience = patience;
    fit = fit_in_memory(*kernel, *factors, problem.x, problem.z, {held.get(), other.x}, options, 1,
                        Context());
    const auto at = dense::predict(*kernel, fit.inducing, fit.result.latents[0].posterior, other.x);
    double sum = 0.0;
    for (Index i = 0; i < 80; ++i)
      sum -= dense::probit()->tilted(other.y(i, 0), at.mean(i), at.variance(i)).log_z;
    return sum / 80.0;
  };
  for (const Index patience : {1000, 5}) {
    EpFit fit;
    const double stays = loss_of(150, patience, fit);
    double best = std::numeric_limits<double>::infinity();
    Index at = 0;
    const std::vector<TraceRow>& trace = fit.result.latents[0].trace;
    for (const TraceRow& row : trace) {
      CHECK(std::isfinite(row.validation));
      if (row.validation >= best - 1e-4) continue;
      best = row.validation;
      at = row.iteration;
    }
    CHECK_NEAR(stays, best, 1e-8);
    CHECK(at < 150);
    CHECK(trace.back().iteration == (patience == 5 ? at + 5 : 150));
  }
}

TEST(a_fit_says_when_it_has_not_converged) {
  const Problem problem(100);
  EpFitOptions options;
  for (const Schedule schedule : {Schedule::ep, Schedule::sep}) {
    options.schedule = schedule;
    options.iterations = 2;
    const EpFit few = problem.fit(options);
    CHECK(!few.result.converged && few.result.reason.find("2 passes") != std::string::npos);
    options.iterations = 500;
    CHECK(problem.fit(options).result.converged);
  }
  const EpFitOptions learns = learning(Schedule::ep, StepRule::adam, 3);
  CHECK(problem.fit(learns).result.converged);
}

TEST(steps_that_are_too_large_are_undone_or_an_error_and_never_give_nan) {
  const Problem problem(80);
  for (const Schedule schedule : kSchedules)
    for (const StepRule rule : kRules)
      for (const Index batch : {0, 20}) {
        EpFitOptions options = learning(schedule, rule, 40, batch);
        options.learning.rate = 1e3;
        try {
          const EpFit fit = problem.fit(options);
          CHECK(fit.kernel_params.allFinite() && fit.inducing.allFinite());
          CHECK(std::isfinite(fit.evidence.log_z));
          const SparsePosterior& posterior = fit.result.latents[0].posterior;
          CHECK(posterior.weights.allFinite() && posterior.up.factor.allFinite());
        } catch (const NumericalFailure&) {
        }
      }
}

TEST(a_fit_refuses_what_does_not_fit_together) {
  const Problem problem(30, 5);
  const auto kernel = dense::rbf();
  const auto factors = ep::probit_factors(problem.y);
  const auto fit = [&](const Matrix& x, const Matrix& z) {
    return fit_in_memory(*kernel, *factors, x, z, {nullptr, x.leftCols(0)}, {}, 1, Context());
  };
  CHECK_THROWS(fit(problem.x.leftCols(29), problem.z), InvalidSpec);
  CHECK_THROWS(fit(problem.x, Matrix(2, 0)), InvalidSpec);
}

TEST(converged_evidence_starts_from_sites_given) {
  const Problem problem(80);
  const auto kernel = dense::rbf();
  const auto factors = ep::probit_factors(problem.y);
  const auto from = [&](Sites sites, int passes) {
    return converged_evidence(*kernel, *factors, problem.x, problem.z,
                              {1e-6, {passes, 1e-9}, true, true}, std::move(sites), Context());
  };
  const ConvergedEvidence cold = from({}, 500);
  CHECK(cold.converged && !from({}, 1).converged);
  const ConvergedEvidence warm = from(cold.sites, 1);
  CHECK(warm.converged);
  CHECK_NEAR(warm.evidence.log_z, cold.evidence.log_z, 1e-9);
  check_near(warm.evidence.kernel, cold.evidence.kernel, 1e-6);
}

TEST(passes_end_where_the_evidence_has_settled) {
  const Problem problem(80);
  const auto kernel = dense::rbf();
  const auto factors = ep::probit_factors(problem.y);
  const auto with = [&](int passes, double log_z_tolerance) {
    return converged_evidence(*kernel, *factors, problem.x, problem.z,
                              {1e-6, {passes, 0.0, 1.0, log_z_tolerance}, false, false}, {},
                              Context());
  };
  const double settled = with(500, 0.0).evidence.log_z;
  for (const double tolerance : {1e-1, 1e-3, 1e-6}) {
    const ConvergedEvidence found = with(500, tolerance);
    CHECK(found.converged);
    CHECK_NEAR(found.evidence.log_z, settled, 3.0 * tolerance);
  }
  // The first pass has nothing to compare with, and no tolerance means all passes.
  CHECK(!with(1, 1e6).converged && with(2, 1e6).converged && !with(20, 0.0).converged);
}
