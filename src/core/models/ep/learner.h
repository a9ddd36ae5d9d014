// The step of learning in an iteration (theory.md#iteration), and its retreat to the last good
// parameters where a step fails.
#ifndef GPSIEVE_MODELS_EP_LEARNER_H
#define GPSIEVE_MODELS_EP_LEARNER_H

#include <memory>

#include "models/ep/approximation.h"
#include "models/ep/parameters.h"

namespace gpsieve {

class EpLearner {
 public:
  EpLearner(const EpProblem& problem, const EpLearning& learning);

  bool any() const { return parameters_.any(); }  // whether anything is learned
  EpParameters& parameters() { return parameters_; }

  // One step of the optimiser from log Z and its gradient, after which q is carried over. If log Z
  // is not finite, or a factor does not exist at the new parameters, the last good parameters are
  // restored, and later steps and the damping are halved.
  void step(const EpEvidence& found, EpApproximation& q, double& damping);

  void visit(Archive& archive);

 private:
  void restore_good(EpApproximation& q, double& damping);
  void shorten_steps(double& damping);

  EpParameters parameters_;
  std::unique_ptr<Optimiser> optimiser_;
  Vector good_;  // parameters at which the evidence was finite last
  int failures_ = 0;
};

}  // namespace gpsieve

#endif
