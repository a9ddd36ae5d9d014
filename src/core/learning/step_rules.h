// Step rules for gradient ascent on an objective that changes between steps, because it is
// estimated from minibatches or by sites that have not converged (theory.md#step-rules). One step
// per gradient, no line search.
#ifndef GPSIEVE_LEARNING_STEP_RULES_H
#define GPSIEVE_LEARNING_STEP_RULES_H

#include <memory>

#include "base/archive.h"
#include "base/types.h"

namespace gpsieve {

enum class StepRule { adadelta, adam, sign_adaptive };

class Optimiser {
 public:
  virtual ~Optimiser() = default;
  // The step to add to the parameters, given the gradient of the objective.
  virtual Vector step(VectorIn gradient) = 0;
  // All later steps are half as long.
  void halve_steps() { scale_ *= 0.5; }
  // All later steps are so many times as long as eta says.
  void scale_steps(double scale) { scale_ = scale; }
  virtual void visit(Archive& archive) { archive.visit(scale_); }

 protected:
  double scale_ = 1.0;
};

// How fast Adam forgets earlier gradients and their squares: the decays of A and B in theory.md
// (2).
struct AdamDecays {
  double gradient = 0.9, square = 0.999;
};

// `rate` is eta of theory.md (1) to (3). `group`: for every parameter the number of its group,
// which only `sign_adaptive` uses.
std::unique_ptr<Optimiser> make_optimiser(StepRule rule, double rate, const Indices& group);
std::unique_ptr<Optimiser> make_adam(double rate, Index size, AdamDecays decays);

}  // namespace gpsieve

#endif
