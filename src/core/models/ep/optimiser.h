// Step rules for gradient ascent on an objective that changes between steps, because it is
// estimated from minibatches or by sites that have not converged (theory.md#step-rules). One step
// per gradient, no line search.
#ifndef GPSIEVE_MODELS_EP_OPTIMISER_H
#define GPSIEVE_MODELS_EP_OPTIMISER_H

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
  virtual void visit(Archive& archive) { archive.visit(scale_); }

 protected:
  double scale_ = 1.0;
};

// `rate` is eta of theory.md (2) to (4). `group`: for every parameter the number of its group,
// which only `sign_adaptive` uses.
std::unique_ptr<Optimiser> make_optimiser(StepRule rule, double rate, const Indices& group);

}  // namespace gpsieve

#endif
