// Learning step by step: blocks of rows, the prior, and the steps themselves.
#include <numeric>
#include <set>

#include "base/error.h"
#include "check.h"
#include "learning/blocks.h"
#include "learning/learn_on_blocks.h"

using namespace gpsieve;

namespace {

Matrix uniform_points(Index p, Index n, std::uint64_t seed) {
  Rng rng(seed);
  Matrix x(p, n);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = rng.uniform();
  return x;
}

bool is_increasing_subset(const Indices& rows, Index n) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < 0 || rows[i] >= n || (i > 0 && rows[i] <= rows[i - 1])) return false;
  return true;
}

double width(const Matrix& x, Index column, const Indices& rows) {
  double low = x(column, rows[0]), high = low;
  for (const Index row : rows) {
    low = std::min(low, x(column, row));
    high = std::max(high, x(column, row));
  }
  return high - low;
}

// -(a - 1)^2 - 4 (b + 2)^2 for each row, with the noise of the rows' mean number on top of a.
class Bowl final : public BlockObjective {
 public:
  explicit Bowl(double noise, Index fails_at = -1) : noise_(noise), fails_at_(fails_at) {}
  Vector params() const override { return params_; }
  void set_params(VectorIn params) override { params_ = params; }
  BlockEvidence evidence(const Indices& rows, const Context&) override {
    sizes_.push_back(rows.size());
    if (calls() == fails_at_) throw NumericalFailure("planted");
    const double n = static_cast<double>(rows.size());
    const double mean = std::accumulate(rows.begin(), rows.end(), 0.0) / n;
    const double a = params_(0) - 1.0 + noise_ * (mean / 500.0 - 1.0), b = params_(1) + 2.0;
    Vector gradient(3);
    gradient << -2.0 * a * n, -8.0 * b * n, 5.0 * n;
    return {-n * (a * a + 4.0 * b * b), gradient};
  }
  Index calls() const { return static_cast<Index>(sizes_.size()); }
  // The rows of each call
  const std::vector<std::size_t>& sizes() const { return sizes_; }

 private:
  double noise_;
  Index fails_at_;
  std::vector<std::size_t> sizes_;
  Vector params_ = Vector::Zero(3);
};

BlockLearning bowl_learning(Index block_rows, double pull) {
  BlockLearning out;
  out.free = {true, true, false};
  out.prior.group = {0, 1, 2};
  out.prior.level = out.prior.spread = Vector::Constant(3, pull);
  out.block_rows = block_rows;
  out.first_rows = (block_rows + 1) / 2;
  out.steps = 200;
  out.rate = 0.15;
  out.seed = 5;
  return out;
}

}  // namespace

TEST(random_blocks_are_subsets_drawn_from_all_rows) {
  Rng rng(1);
  CHECK(random_block(5, 9, rng) == (Indices{0, 1, 2, 3, 4}));
  Vector hits = Vector::Zero(40);
  for (int draw = 0; draw < 400; ++draw) {
    const Indices block = random_block(40, 10, rng);
    CHECK(block.size() == 10 && is_increasing_subset(block, 40));
    for (const Index row : block) hits(row) += 1.0;
  }
  CHECK(hits.minCoeff() > 60.0 && hits.maxCoeff() < 140.0);
}

TEST(near_blocks_are_near_in_the_columns_whose_lengthscale_is_short) {
  const Matrix x = uniform_points(3, 4000, 2);
  Vector scale(3);
  scale << 0.1, 0.1, 1e6;
  Rng rng(3);
  for (int draw = 0; draw < 10; ++draw) {
    const Indices block = near_block(x, scale, 250, rng);
    CHECK(block.size() == 250 && is_increasing_subset(block, 4000));
    CHECK(width(x, 0, block) * width(x, 1, block) < 0.1);
    CHECK(width(x, 2, block) > 0.9);
  }
}

TEST(near_blocks_of_rows_that_do_not_differ_have_their_size) {
  Matrix x = Matrix::Zero(2, 300);
  x(1, 7) = 1.0;  // an indicator that is rarely 1 is no reason to divide the rows
  Rng rng(4);
  const Indices block = near_block(x, Vector::Ones(2), 100, rng);
  CHECK(block.size() == 100 && is_increasing_subset(block, 300));
  // Ties go by the number of the row.
  Matrix steps(1, 300);
  for (Index i = 0; i < 300; ++i) steps(0, i) = static_cast<double>(i % 2);
  CHECK(near_block(steps, Vector::Ones(1), 200, rng).size() == 200);
}

TEST(the_prior_of_a_group_holds_its_spread_more_than_its_level) {
  GroupedPrior prior{{0, 0, 0, 1}, Vector::Constant(4, 1.0), Vector::Constant(4, 4.0)};
  Vector same(4), apart(4);
  same << 0.6, 0.6, 0.6, 0.0;
  apart << 0.6, -0.6, 0.0, 0.0;
  CHECK_NEAR(prior.at(same).log_density, -0.18, 1e-15);
  CHECK_NEAR(prior.at(apart).log_density, -4.0 * 0.36, 1e-15);
  // A group of one has a level only; far away the density falls like an exponential.
  Vector single = Vector::Zero(4);
  single(3) = 3.0;
  CHECK_NEAR(prior.at(single).log_density, -2.5, 1e-15);
  prior.group = {0, 0, 7, 1};
  CHECK_THROWS(prior.require_size(4), InvalidSpec);
  prior.group = {0, 0, 0, 1};
  prior.level(2) = -1.0;
  CHECK_THROWS(prior.require_size(4), InvalidSpec);
}

TEST(the_gradient_of_the_prior_is_that_of_its_density) {
  Rng rng(6);
  GroupedPrior prior{{0, 1, 0, 2, 1, 1}, Vector(6), Vector(6)};
  for (Index i = 0; i < 6; ++i) {
    prior.level(i) = rng.uniform();
    prior.spread(i) = 4.0 * rng.uniform();
  }
  for (int trial = 0; trial < 20; ++trial) {
    Vector at(6);
    for (double* v = at.data(); v < at.data() + 6; ++v) *v = 6.0 * rng.uniform() - 3.0;
    const Vector gradient = prior.at(at).gradient;
    for (Index i = 0; i < 6; ++i) {
      Vector up = at, down = at;
      up(i) += 1e-6;
      down(i) -= 1e-6;
      const double difference = (prior.at(up).log_density - prior.at(down).log_density) / 2e-6;
      CHECK_NEAR(gradient(i), difference, 1e-7);
    }
  }
}

TEST(all_rows_in_one_block_reach_the_maximum_and_stop) {
  Bowl bowl(0.0);
  const Matrix x = uniform_points(1, 50, 7);
  const BlockLearned found = learn_on_blocks(bowl, x, bowl_learning(50, 0.0), Context());
  CHECK_NEAR(found.params(0), 1.0, 1e-3);
  CHECK_NEAR(found.params(1), -2.0, 1e-3);
  CHECK(found.params(2) == 0.0);  // held fixed although its gradient is not 0
  CHECK(found.converged && found.objective.size() < 40);
  CHECK(bowl.calls() == found.objective.size());
  CHECK(bowl.params() == found.params);
}

TEST(blocks_of_some_rows_reach_the_maximum_of_the_mean) {
  Bowl bowl(2.0);
  const Matrix x = uniform_points(1, 1001, 8);
  const BlockLearned found = learn_on_blocks(bowl, x, bowl_learning(20, 0.0), Context());
  CHECK(found.objective.size() == 200 && bowl.calls() == 400);
  CHECK_NEAR(found.params(0), 1.0, 0.1);
  CHECK_NEAR(found.params(1), -2.0, 0.05);
  Bowl again(2.0);
  CHECK(learn_on_blocks(again, x, bowl_learning(20, 0.0), Context()).params == found.params);
}

TEST(the_prior_counts_once_for_all_rows) {
  Bowl bowl(0.0);
  const Matrix x = uniform_points(1, 100, 9);
  // The maximum of -100 (a - 1)^2 - 200 a^2 / 2 is at a = 1/2.
  // Without the prior it is at 1, if the prior counted for every row at 0.
  BlockLearning learning = bowl_learning(100, 200.0);
  learning.free[1] = false;
  const BlockLearned found = learn_on_blocks(bowl, x, learning, Context());
  CHECK_NEAR(found.params(0), 0.5, 0.05);
  // The prior is about the values of the objective, wherever the steps begin.
  Bowl other(0.0);
  learning.begin = Vector::Constant(3, 2.0);
  CHECK_NEAR(learn_on_blocks(other, x, learning, Context()).params(0), 0.5, 0.05);
}

TEST(a_failure_shortens_the_steps_and_many_end_learning) {
  Bowl once(0.0, 30);
  const Matrix x = uniform_points(1, 50, 10);
  const BlockLearned found = learn_on_blocks(once, x, bowl_learning(50, 0.0), Context());
  CHECK_NEAR(found.params(0), 1.0, 0.1);
  class Never final : public BlockObjective {
   public:
    Vector params() const override { return Vector::Zero(3); }
    void set_params(VectorIn) override {}
    BlockEvidence evidence(const Indices&, const Context&) override {
      throw NotPositiveDefinite(0, -1.0);
    }
  } never;
  const BlockLearned none = learn_on_blocks(never, x, bowl_learning(50, 0.0), Context());
  CHECK(none.params == Vector::Zero(3) && none.objective.size() == 0);
}

TEST(only_the_steps_that_are_averaged_take_whole_blocks) {
  const Matrix x = uniform_points(1, 50, 12);
  const auto sizes = [&](Index block_rows, Index steps) {
    BlockLearning learning = bowl_learning(block_rows, 1.0);
    learning.steps = steps;
    Bowl bowl(0.1);
    learn_on_blocks(bowl, x, learning, Context());
    return bowl.sizes();
  };
  // A step takes a block of near rows and one of random ones.
  CHECK(sizes(21, 3) == (std::vector<std::size_t>{11, 11, 11, 11, 21, 21}));
  CHECK(sizes(21, 1) == (std::vector<std::size_t>{21, 21}));
  CHECK(sizes(50, 3) == (std::vector<std::size_t>{50, 50, 50}));
}

TEST(learning_that_does_not_fit_the_model_is_refused) {
  Bowl bowl(0.0);
  const Matrix x = uniform_points(1, 50, 11);
  BlockLearning wrong = bowl_learning(50, 1.0);
  wrong.free.pop_back();
  CHECK_THROWS(learn_on_blocks(bowl, x, wrong, Context()), InvalidSpec);
  wrong = bowl_learning(50, 1.0);
  wrong.begin = Vector::Zero(2);
  CHECK_THROWS(learn_on_blocks(bowl, x, wrong, Context()), InvalidSpec);
  wrong = bowl_learning(50, 1.0);
  wrong.lengthscales = {{0, 3}};
  CHECK_THROWS(learn_on_blocks(bowl, x, wrong, Context()), InvalidSpec);
  for (const Index rows : {0, 51}) {
    wrong = bowl_learning(50, 1.0);
    wrong.first_rows = rows;
    CHECK_THROWS(learn_on_blocks(bowl, x, wrong, Context()), InvalidSpec);
  }
}
