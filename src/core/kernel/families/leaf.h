// Hyper-parameters of a kernel without children: one vector of positive numbers.
#ifndef GPSIEVE_KERNEL_FAMILIES_LEAF_H
#define GPSIEVE_KERNEL_FAMILIES_LEAF_H

#include <utility>

#include "kernel/kernel.h"

namespace gpsieve {

// Values are kept on the natural scale, so a variance of 2 is exactly 2; params() takes the logs.
class Leaf : public Kernel {
 public:
  Index n_params() const override { return values_.size(); }
  Vector params() const override;
  // Throws NumericalFailure where exp(log_params) is not a positive finite number.
  void set_params(VectorIn log_params) override;

 protected:
  explicit Leaf(Vector values) : values_(std::move(values)) {}
  double value(Index i) const { return values_[i]; }
  double variance() const { return values_[0]; }  // every leaf with parameters has it first
  auto values(Index first, Index count) const { return values_.segment(first, count); }

 private:
  Vector values_;
};

}  // namespace gpsieve

#endif
