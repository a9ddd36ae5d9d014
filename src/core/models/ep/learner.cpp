#include "models/ep/learner.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "sparse_ep/run_to_convergence.h"

namespace gpsieve {
namespace {

constexpr int kMostFailures = 20;  // halvings of a step in a row

}  // namespace

EpLearner::EpLearner(const EpProblem& problem, const EpLearning& learning)
    : parameters_(problem.kernel, problem.factors, problem.inducing, learning) {
  if (any())
    optimiser_ =
        make_optimiser(learning.optimiser, learning.rate, parameters_.groups(learning.group));
}

void EpLearner::step(const EpEvidence& found, EpApproximation& q, double& damping) {
  const Vector gradient = parameters_.gradient(found);
  // A sum is not finite where one of its terms is not.
  if (!std::isfinite(found.log_z) || !std::isfinite(gradient.sum()))
    return restore_good(q, damping);
  parameters_.take(good_);
  failures_ = 0;
  for (Vector step = optimiser_->step(gradient);; step *= 0.5) {
    parameters_.move(good_, step);
    if (q.move_to(parameters_.inducing())) return;
    shorten_steps(damping);
  }
}

void EpLearner::restore_good(EpApproximation& q, double& damping) {
  shorten_steps(damping);
  if (good_.size() == 0) throw NumericalFailure("the evidence is not finite at the start");
  parameters_.set(good_);
  if (!q.move_to(parameters_.inducing()))
    throw NumericalFailure("a factor does not exist at parameters where it existed before");
}

void EpLearner::shorten_steps(double& damping) {
  if (++failures_ > kMostFailures)
    throw NumericalFailure("learning failed " + std::to_string(kMostFailures) +
                           " times in a row, each time with shorter steps");
  optimiser_->halve_steps();
  damping = std::max(0.5 * damping, kSmallestDamping);
}

void EpLearner::visit(Archive& archive) {
  if (optimiser_) optimiser_->visit(archive);
  archive.visit(failures_);
  archive.visit(good_);
}

}  // namespace gpsieve
