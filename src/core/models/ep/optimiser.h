// First-order ascent for objectives seen through noise or through a moving approximation: one step
// per gradient, no line search. Batch optimisation of a settled objective is the host's business.
#ifndef GPSIEVE_MODELS_EP_OPTIMISER_H
#define GPSIEVE_MODELS_EP_OPTIMISER_H

#include <memory>
#include <string>

#include "base/types.h"

namespace gpsieve {

class Optimiser {
 public:
  virtual ~Optimiser() = default;
  // The step to add to the parameters, given the gradient of what is to grow.
  virtual Vector step(VectorIn gradient) = 0;
  // Steps from now on are half as long.
  void soften() { scale_ *= 0.5; }

 protected:
  double scale_ = 1.0;
};

// "adam", "adadelta" or "authors"; throws InvalidSpec for other names. `rate`: the longest step of
// Adam, a factor of ADADELTA's own steps, the first step size per unit of gradient of the authors'
// rule. `group`: for the authors' rule, parameters of one group (equal numbers) share a step size
// that follows the sign of their summed gradient.
std::unique_ptr<Optimiser> make_optimiser(const std::string& name, double rate,
                                          const Indices& group);

}  // namespace gpsieve

#endif
