#include "kernel/families/leaf.h"

#include <cmath>

#include "base/error.h"

namespace gpsieve {

Vector Leaf::params() const {
  return values_.unaryExpr([](double value) { return std::log(value); });
}

void Leaf::set_params(VectorIn log_params) {
  if (log_params.size() != values_.size())
    throw InvalidSpec("a kernel with " + std::to_string(values_.size()) +
                      " hyper-parameters was given " + std::to_string(log_params.size()));
  Vector values = log_params.unaryExpr([](double value) { return std::exp(value); });
  for (Index i = 0; i < values.size(); ++i)
    if (!(values[i] > 0.0) || !std::isfinite(values[i]))
      throw NumericalFailure("hyper-parameter " + std::to_string(i + 1) +
                             " left the range of numbers: its logarithm is " +
                             std::to_string(log_params[i]));
  values_.swap(values);
}

}  // namespace gpsieve
