// What is learned, as one vector: theory.md (1).
#ifndef GPSIEVE_MODELS_EP_PARAMETERS_H
#define GPSIEVE_MODELS_EP_PARAMETERS_H

#include "models/ep/ep.h"

namespace gpsieve {

class EpParameters {
 public:
  EpParameters(Kernel& kernel, Factors& factors, const Matrix& inducing,
               const EpLearning& learning);

  bool any() const { return size() > 0; }  // whether anything is learned
  Index size() const { return static_cast<Index>(free_.size()) + n_inputs_; }
  const Vector& values() const { return values_; }
  // The groups of all values, of which each coordinate of an inducing input is one by itself.
  Indices groups(const Indices& group) const;

  // Of the evidence and the prior's log density.
  Vector gradient(const EpEvidence& evidence) const;
  // Swaps the values with `values`, which saves a copy. move() or set() must follow: until then the
  // values are not those of the kernel and of the factors.
  void take(Vector& values) { values.swap(values_); }
  // Sets the values to others plus a step, with the bounds of theory.md#objective-and-parameters.
  void move(const Vector& from, const Vector& step);
  // Sets the values, and with them the parameters of the kernel and of the factors. Throws
  // InvalidSpec if there are not as many.
  void set(Vector values);
  Matrix inducing() const;

 private:
  void apply();  // sets the parameters of the kernel and of the factors to the values

  Kernel& kernel_;
  Factors& factors_;
  Matrix inducing_;  // where they are not learned
  HyperPrior prior_;
  Indices free_;    // positions in the kernel's, then the likelihood's, log parameters
  Index n_inputs_;  // coordinates of inducing inputs that are learned
  Vector start_, values_;
};

}  // namespace gpsieve

#endif
