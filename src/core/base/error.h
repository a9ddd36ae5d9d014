// Typed errors: the R layer maps each class to a classed condition.
#ifndef GPSIEVE_BASE_ERROR_H
#define GPSIEVE_BASE_ERROR_H

#include <stdexcept>
#include <string>

#include "types.h"

namespace gpsieve {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A Cholesky factor broke down: the pivot's position and value say where and how badly.
struct NotPositiveDefinite : Error {
  NotPositiveDefinite(Index pivot_, double value_)
      : Error("matrix is not positive definite: pivot " + std::to_string(pivot_ + 1) + " is " +
              std::to_string(value_)),
        pivot(pivot_),
        value(value_) {}
  Index pivot;
  double value;
};

// NaN or overflow inside a computation whose inputs were finite.
struct NumericalFailure : Error {
  using Error::Error;
};

// A name, a size or a parameter that has no meaning. It is never replaced by a default.
struct InvalidSpec : Error {
  using Error::Error;
};

// The host's kernel function returned what cannot be covariances.
struct KernelFailure : Error {
  using Error::Error;
};

// The host's density function returned what cannot be a log density.
struct LikelihoodFailure : Error {
  using Error::Error;
};

// Thrown inside worker tasks after another task failed or the user interrupted; never leaves
// parallel.h.
struct Cancelled : Error {
  Cancelled() : Error("cancelled") {}
};

}  // namespace gpsieve

#endif
