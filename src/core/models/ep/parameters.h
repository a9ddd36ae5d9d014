// Everything that ep_gp() learns as one vector: free log parameters of the kernel and the
// likelihood, then the inducing inputs.
#ifndef GPSIEVE_MODELS_EP_PARAMETERS_H
#define GPSIEVE_MODELS_EP_PARAMETERS_H

#include "models/ep/ep.h"

namespace gpsieve {

class EpParameters {
 public:
  EpParameters(Kernel& kernel, Factors& factors, const Matrix& inducing,
               const EpLearning& learning);

  bool any() const { return size() > 0; }
  Index size() const { return static_cast<Index>(free_.size()) + n_inputs_; }
  const Vector& values() const { return values_; }
  Indices groups(const Indices& group) const;  // every coordinate of an input is its own group

  Vector gradient(const EpEvidence& evidence) const;
  // Moves the kernel and the factors there; steps and distances from the start are bounded.
  void move_by(const Vector& step);
  void set(const Vector& values);
  Matrix inducing() const;

 private:
  Kernel& kernel_;
  Factors& factors_;
  Matrix inducing_;
  Indices free_;  // positions in the kernel's, then the likelihood's, log parameters
  Index n_inputs_;
  Vector start_, values_;
};

}  // namespace gpsieve

#endif
