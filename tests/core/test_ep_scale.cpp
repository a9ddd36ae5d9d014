// Rows that are read in windows, divided into shards, or visited by a fit that was stopped and
// continued: the same bits as of all rows in memory in one go.
#include <algorithm>

#include "base/error.h"
#include "check.h"
#include "ep_helpers.h"
#include "models/ep/batches.h"
#include "models/ep/ep.h"
#include "models/ep/shards.h"
#include "sparse_ep/windowed_rows.h"

using namespace gpsieve;

namespace {

// A problem with one latent function, or with three classes that are modelled jointly.
struct Problem {
  explicit Problem(bool joint, Index n = 90) : x(dense::points(2, n, 1)) {
    z = x.leftCols(7);
    if (!joint) {
      y = dense::labels(x, 2);
      class_rows = Vector::Constant(1, static_cast<double>(n));
      return;
    }
    const Indices label = ep::classes(x, 2);
    y = Matrix::Constant(n, 3, -1.0);
    class_rows = Vector::Zero(3);
    for (Index i = 0; i < n; ++i) {
      y(i, label[i]) = 1.0;
      class_rows[label[i]] += 1.0;
    }
  }
  std::unique_ptr<Factors> factors() const {
    if (y.cols() == 3) return pairwise_factors(class_rows, 1.0, Vector::Zero(3));
    return likelihood_factors(ep::maker({"probit", {{"noise", {1.0}}}}), 1.0, x.cols(),
                              Vector::Zero(1));
  }
  std::unique_ptr<Factors> factors_in_memory() const {
    auto all = factors();
    all->hold(0, y, Vector());
    return all;
  }

  Matrix x, y, z;
  Vector class_rows;
};

EpFitOptions options_of(Schedule schedule, Index batch, bool learns) {
  EpFitOptions options;
  options.schedule = schedule;
  options.batch_size = batch;
  options.iterations = batch > 0 ? 25 : 6;
  options.tolerance = 1e-14;
  if (learns) {
    options.learning.free = {true, true};
    options.learning.group = {0, 1};
    options.learning.inducing = true;
    options.learning.optimiser = StepRule::adam;
    options.learning.rate = 0.05;
  }
  return options;
}

void check_same(const EpFit& a, const EpFit& b) {
  CHECK(a.evidence.log_z == b.evidence.log_z);
  CHECK(a.kernel_params == b.kernel_params && a.inducing == b.inducing);
  CHECK(a.evidence.kernel == b.evidence.kernel);
  for (std::size_t k = 0; k < a.result.latents.size(); ++k) {
    const LatentFit &one = a.result.latents[k], &two = b.result.latents[k];
    CHECK(one.posterior.weights == two.posterior.weights);
    CHECK(one.posterior.up.factor == two.posterior.up.factor);
    CHECK(one.site_precision == two.site_precision && one.site_mean == two.site_mean);
    CHECK(one.cavity_variance == two.cavity_variance);
  }
}

WindowedRows::Read reader_of(const Problem& problem, Index window, std::vector<Index>* read) {
  return [&problem, window, read](Index number) -> WindowedRows::Window {
    if (read) read->push_back(number);
    const Index first = number * window, count = std::min(window, problem.x.cols() - first);
    return {problem.x.middleCols(first, count), problem.y.middleRows(first, count), Vector()};
  };
}

EpFit fit_in_memory(const Problem& problem, const EpFitOptions& options,
                    const EpCheckpoints& checkpoints = {}) {
  const auto kernel = dense::rbf();
  const auto factors = problem.factors_in_memory();
  MemoryRows rows(problem.x);
  LocalPasses passes(rows);
  return fit_ep({*kernel, *factors, passes, problem.z, {nullptr, problem.x}, 3}, options,
                checkpoints, Context());
}

// All shards in this process.
class OwnShards final : public ShardLink {
 public:
  OwnShards(const Problem& problem, const Indices& sizes, const EpFitOptions& options) {
    Index begin = 0;
    for (const Index size : sizes) {
      xs_.push_back(problem.x.middleCols(begin, size));
      ys_.push_back(problem.y.middleRows(begin, size));
      begin += size;
    }
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      kernels_.push_back(dense::rbf());
      factors_.push_back(problem.factors());
      factors_.back()->hold(0, ys_[s], Vector());
      shards_.push_back(std::make_unique<EpShard>(
          *kernels_[s], *factors_[s], xs_[s], options.schedule, problem.z.cols(), options.jitter));
    }
  }
  std::vector<Numbers> ask(const std::vector<Numbers>& questions) override {
    std::vector<Numbers> answers;
    for (std::size_t s = 0; s < shards_.size(); ++s)
      answers.push_back(shards_[s]->answer(questions[questions.size() == 1 ? 0 : s], Context()));
    return answers;
  }

 private:
  std::vector<Matrix> xs_, ys_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<std::unique_ptr<Factors>> factors_;
  std::vector<std::unique_ptr<EpShard>> shards_;
};

EpFit fit_in_shards(const Problem& problem, const Indices& sizes, const EpFitOptions& options,
                    const EpCheckpoints& checkpoints = {}) {
  const auto kernel = dense::rbf();
  const auto factors = problem.factors();
  OwnShards link(problem, sizes, options);
  ShardedPasses passes(link, sizes, *factors);
  return fit_ep({*kernel, *factors, passes, problem.z, {nullptr, problem.x}, 3}, options,
                checkpoints, Context());
}

}  // namespace

TEST(windowed_batches_cover_the_rows_in_the_order_of_the_windows) {
  for (const bool shuffle : {false, true}) {
    EpBatches batches(23, 4, 10, shuffle, 5), late(23, 4, 10, shuffle, 5);
    CHECK(batches.per_epoch() == 7);  // 4 4 2, 4 4 2, 3
    late.skip(7);
    for (int epoch = 0; epoch < 2; ++epoch) {
      Indices seen;
      for (int b = 0; b < 7; ++b) {
        const RowSet rows = batches.next();
        const RowSet same = epoch == 1 ? late.next() : rows;
        for (Index i = 0; i < rows.size; ++i) {
          CHECK(rows[i] / 10 == b / 3 && rows[i] == same[i]);
          seen.push_back(rows[i]);
        }
      }
      std::sort(seen.begin(), seen.end());
      for (Index i = 0; i < 23; ++i) CHECK(seen[i] == i);
    }
  }
}

TEST(windows_of_rows_are_read_once_in_a_pass) {
  const Problem problem(false, 50);
  const auto factors = problem.factors();
  std::vector<Index> read;
  WindowedRows rows(reader_of(problem, 10, &read), 10, *factors);
  for (Index begin = 0; begin < 50; begin += 7) {
    const Index size = std::min<Index>(7, 50 - begin);
    CHECK(rows.inputs(begin, size) == problem.x.middleCols(begin, size));
  }
  CHECK((read == std::vector<Index>{0, 1, 2, 3, 4}));
  CHECK(rows.inputs(3, 25) == problem.x.middleCols(3, 25));
  CHECK(read.size() == 8);
  WindowedRows wrong(reader_of(problem, 9, nullptr), 10, *factors);
  CHECK_THROWS(wrong.inputs(0, 3), InvalidSpec);
}

TEST(rows_in_windows_give_the_bits_of_rows_in_memory) {
  for (const bool joint : {false, true}) {
    const Problem problem(joint);
    for (const Schedule schedule : {Schedule::ep, Schedule::sep, Schedule::adf})
      for (const Index batch : {0, 8})
        for (const bool learns : {false, true}) {
          EpFitOptions options = options_of(schedule, batch, learns);
          options.window = 20;
          const auto kernel = dense::rbf();
          const auto factors = problem.factors();
          WindowedRows rows(reader_of(problem, 20, nullptr), 20, *factors);
          LocalPasses passes(rows);
          check_same(fit_ep({*kernel, *factors, passes, problem.z, {nullptr, problem.x}, 3},
                            options, {}, Context()),
                     fit_in_memory(problem, options));
        }
  }
}

TEST(one_shard_is_a_fit_and_several_differ_from_it_by_rounding) {
  for (const bool joint : {false, true}) {
    const Problem problem(joint);
    for (const Schedule schedule : {Schedule::ep, Schedule::sep})
      for (const bool learns : {false, true}) {
        const EpFitOptions options = options_of(schedule, 0, learns);
        const EpFit whole = fit_in_memory(problem, options);
        check_same(fit_in_shards(problem, {90}, options), whole);
        const EpFit parts = fit_in_shards(problem, {40, 30, 20}, options);
        CHECK_NEAR(parts.evidence.log_z, whole.evidence.log_z, 1e-8);
        dense::check_near(parts.kernel_params, whole.kernel_params, 1e-8);
      }
  }
}

TEST(a_fit_that_continues_from_any_state_ends_with_the_same_bits) {
  for (const bool joint : {false, true}) {
    const Problem problem(joint);
    for (const Schedule schedule : {Schedule::ep, Schedule::sep, Schedule::adf})
      for (const Index batch : {0, 8})
        for (const StepRule rule : {StepRule::adadelta, StepRule::adam, StepRule::sign_adaptive}) {
          EpFitOptions options = options_of(schedule, batch, true);
          options.learning.optimiser = rule;
          options.learning.rate = rule == StepRule::adadelta ? 1.0 : 0.01;
          const EpFit whole = fit_in_memory(problem, options);
          std::vector<Numbers> states;
          EpCheckpoints writes{
              [&](const EpFit&, Numbers state) { states.push_back(state); }, 0.0, {}};
          check_same(fit_in_memory(problem, options, writes), whole);
          CHECK(states.size() == static_cast<std::size_t>(options.iterations));
          for (std::size_t at : {std::size_t{0}, states.size() / 2, states.size() - 1})
            check_same(fit_in_memory(problem, options, {nullptr, 0.0, states[at]}), whole);
          states[0].pop_back();
          CHECK_THROWS(fit_in_memory(problem, options, {nullptr, 0.0, states[0]}), InvalidSpec);
          if (batch > 0 || schedule == Schedule::adf) continue;
          // Shards hand over their sites and take them back.
          states.clear();
          const EpFit sharded = fit_in_shards(problem, {50, 40}, options, writes);
          check_same(fit_in_shards(problem, {50, 40}, options, {nullptr, 0.0, states[2]}), sharded);
        }
  }
}

TEST(held_out_rows_are_remembered_by_a_state) {
  const Problem problem(false);
  const Matrix x = dense::points(2, 30, 8), y = dense::labels(x, 9);
  const auto others = ep::probit_factors(y);
  EpFitOptions options = options_of(Schedule::sep, 8, true);
  options.patience = 8;
  const auto fit = [&](const EpCheckpoints& checkpoints) {
    const auto kernel = dense::rbf();
    const auto factors = problem.factors_in_memory();
    MemoryRows rows(problem.x);
    LocalPasses passes(rows);
    return fit_ep({*kernel, *factors, passes, problem.z, {others.get(), x}, 3}, options,
                  checkpoints, Context());
  };
  std::vector<Numbers> states;
  const EpFit whole = fit({[&](const EpFit&, Numbers state) { states.push_back(state); }, 0.0, {}});
  for (const Numbers& state : states) check_same(fit({nullptr, 0.0, state}), whole);
}
