#include "learning/learn_on_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "learning/blocks.h"
#include "learning/quasi_newton.h"
#include "learning/step_rules.h"

namespace gpsieve {
namespace {

// theory.md#learning-on-blocks: what Adam remembers, how steps become shorter, how far one step and
// all of them may go.
constexpr AdamDecays kDecays{0.8, 0.95};
constexpr double kHalfLife = 60.0;
constexpr double kLongestStep = 1.0;
constexpr double kRange = 12.0;
// Where all rows are one block, so many steps of Adam are followed by quasi-Newton steps, until no
// slope of the penalised log evidence exceeds this.
constexpr Index kFirstSteps = 20;
constexpr double kSmallSlope = 0.05;
// A failure of the computation halves the steps; one more than so many ends learning.
constexpr int kMostFailures = 5;

class BlockLearner {
 public:
  BlockLearner(BlockObjective& objective, Points x, const BlockLearning& learning)
      : objective_(objective),
        x_(x),
        learning_(learning),
        centre_(objective.params()),
        params_(learning.begin.size() > 0 ? learning.begin : centre_),
        rng_(learning.seed),
        block_rows_(learning.block_rows),
        exact_(x.cols() <= learning.block_rows && objective.repeatable()) {
    learning.prior.require_size(centre_.size());
    if (learning.first_rows < 1 || learning.first_rows > learning.block_rows)
      throw InvalidSpec("the first blocks have no rows, or more than the last ones");
    if (static_cast<Index>(learning.free.size()) != centre_.size() ||
        params_.size() != centre_.size())
      throw InvalidSpec("the free parameters do not fit the model");
    for (const auto& pair : learning.lengthscales)
      if (pair.first < 0 || pair.first >= centre_.size() || pair.second < 0 ||
          pair.second >= x.rows())
        throw InvalidSpec("a lengthscale does not fit the columns");
  }

  BlockLearned run(const Context& ctx) { return exact_ ? climb(ctx) : average(ctx); }

 private:
  // Every step evaluates the same function: a few steps of Adam, then quasi-Newton steps.
  BlockLearned climb(const Context& ctx) {
    auto adam = make_adam(learning_.rate, centre_.size(), kDecays);
    std::unique_ptr<QuasiNewton> search;
    Vector best = params_;
    BlockEvidence at_best{-std::numeric_limits<double>::infinity(), Vector()}, at;
    int failures = 0;
    for (Index step = 0; step < learning_.steps && failures <= kMostFailures; ++step) {
      const bool good = evaluate(at, ctx);
      if (good && at.value > at_best.value) {
        best = params_;
        at_best = at;
      }
      if (search) {
        good ? search->tell(at) : search->tell_failure();
      } else if (!good) {
        params_ = best;
        adam->scale_steps(std::pow(0.5, ++failures));
      } else if (step < kFirstSteps) {
        move(adam->step(at.gradient));
      } else {
        search = std::make_unique<QuasiNewton>(best, at_best, search_settings());
      }
      if (search) {
        if (search->done()) break;
        params_ = search->next();
      }
      ctx.report(static_cast<double>(step + 1) / static_cast<double>(learning_.steps), step + 1);
    }
    return learned(best, at_best.value, search && search->converged());
  }

  // Every step estimates a function from blocks of some rows: steps of Adam, whose last third is
  // averaged.
  BlockLearned average(const Context& ctx) {
    auto adam = make_adam(learning_.rate, centre_.size(), kDecays);
    std::vector<Vector> path;  // the values after every step; empty where it failed
    Vector last = params_;     // at which the evidence could be computed
    int failures = 0;
    double shrink = 1.0;
    for (Index step = 0; step < learning_.steps; ++step) {
      path.emplace_back();
      BlockEvidence at;
      block_rows_ = rows_of_step(step);
      if (!evaluate(at, ctx)) {
        if (++failures > kMostFailures) break;
        shrink *= 0.5;
        params_ = last;
        continue;
      }
      last = params_;
      adam->scale_steps(shrink / (1.0 + static_cast<double>(step) / kHalfLife));
      move(adam->step(at.gradient));
      path.back() = params_;
      ctx.report(static_cast<double>(step + 1) / static_cast<double>(learning_.steps), step + 1);
    }
    const std::size_t shown = (history_.size() + 2) / 3;
    const double sum = std::accumulate(history_.end() - shown, history_.end(), 0.0);
    return learned(mean_of_last_third(path, last), sum / static_cast<double>(shown), true);
  }

  BlockLearned learned(const Vector& end, double value, bool converged) {
    objective_.set_params(end);
    return {end, Eigen::Map<const Vector>(history_.data(), static_cast<Index>(history_.size())),
            value, converged};
  }

  QuasiNewtonSettings search_settings() const {
    const Vector reach = Vector::Constant(centre_.size(), kRange);
    return {centre_ - reach, centre_ + reach, kSmallSlope / static_cast<double>(x_.cols()),
            kLongestStep};
  }

  // Is a step one of the last third, whose values are averaged?
  bool is_averaged(Index step) const { return 3 * step >= 2 * learning_.steps; }

  // The mean of the values after the last third of the steps; `last` where all of these failed.
  Vector mean_of_last_third(const std::vector<Vector>& path, const Vector& last) const {
    Vector sum = Vector::Zero(centre_.size());
    Index summed = 0;
    for (std::size_t step = 0; step < path.size(); ++step) {
      if (path[step].size() == 0 || !is_averaged(static_cast<Index>(step))) continue;
      sum += path[step];
      ++summed;
    }
    return summed > 0 ? Vector(sum / static_cast<double>(summed)) : last;
  }

  // Other steps lead to where the mean is taken.
  Index rows_of_step(Index step) const {
    const bool whole = is_averaged(step) || step + 1 == learning_.steps;
    return whole ? learning_.block_rows : learning_.first_rows;
  }

  std::vector<Indices> draw_blocks() {
    const Index n = x_.cols(), size = block_rows_;
    std::vector<Indices> blocks;
    if (learning_.near && size < n) blocks.push_back(near_block(x_, scales(), size, rng_));
    if (learning_.random || blocks.empty()) blocks.push_back(random_block(n, size, rng_));
    return blocks;
  }

  // The least lengthscale of every column; 1 where it has none.
  Vector scales() const {
    Vector logs = Vector::Constant(x_.rows(), std::numeric_limits<double>::infinity());
    for (const auto& pair : learning_.lengthscales)
      logs(pair.second) = std::min(logs(pair.second), params_(pair.first));
    return logs.array().isFinite().select(logs.array().exp(), 1.0);
  }

  // False where the evidence of the present values cannot be computed.
  bool evaluate(BlockEvidence& at, const Context& ctx) {
    objective_.set_params(params_);
    try {
      at = penalised(ctx);
      history_.push_back(at.value);
      return true;
    } catch (const NumericalFailure&) {
    } catch (const NotPositiveDefinite&) {
    }
    return false;
  }

  // The penalised evidence of this step's blocks per row, and its gradient by the free parameters.
  BlockEvidence penalised(const Context& ctx) {
    BlockEvidence total{0.0, Vector::Zero(params_.size())};
    double rows = 0.0;
    for (const Indices& block : draw_blocks()) {
      const BlockEvidence one = objective_.evidence(block, ctx);
      if (!std::isfinite(one.value) || !one.gradient.allFinite())
        throw NumericalFailure("the evidence of a block of rows is not finite");
      total.value += one.value;
      total.gradient += one.gradient;
      rows += static_cast<double>(block.size());
    }
    total.value /= rows;
    total.gradient /= rows;
    const PriorAt prior = learning_.prior.at(params_ - centre_);
    const double n = static_cast<double>(x_.cols());
    total.value += prior.log_density / n;
    total.gradient += prior.gradient / n;
    for (Index i = 0; i < params_.size(); ++i)
      if (!learning_.free[static_cast<std::size_t>(i)]) total.gradient(i) = 0.0;
    return total;
  }

  void move(const Vector& step) {
    for (Index i = 0; i < params_.size(); ++i) {
      if (!learning_.free[static_cast<std::size_t>(i)]) continue;
      const double to = params_(i) + std::clamp(step(i), -kLongestStep, kLongestStep);
      params_(i) = std::clamp(to, centre_(i) - kRange, centre_(i) + kRange);
    }
  }

  BlockObjective& objective_;
  Points x_;
  const BlockLearning& learning_;
  const Vector centre_;  // of the prior
  Vector params_;
  Rng rng_;
  Index block_rows_;             // of this step
  std::vector<double> history_;  // the penalised evidence per row of every step
  const bool exact_;             // every step evaluates the same function
};

}  // namespace

BlockLearned learn_on_blocks(BlockObjective& objective, Points x, const BlockLearning& learning,
                             const Context& ctx) {
  return BlockLearner(objective, x, learning).run(ctx);
}

}  // namespace gpsieve
