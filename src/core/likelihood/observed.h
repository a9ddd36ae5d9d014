// What was observed in a row: one number, or the two numbers that some likelihoods need.
#ifndef GPSIEVE_LIKELIHOOD_OBSERVED_H
#define GPSIEVE_LIKELIHOOD_OBSERVED_H

#include <limits>

#include "base/types.h"

namespace gpsieve {

// A number is an observation whose second number is absent, and an observation is its first number
// where a likelihood needs no other.
struct Observed {
  Observed(double number) : first(number) {}  // NOLINT(google-explicit-constructor)
  Observed(double one, double other) : first(one), second(other) {}
  operator double() const { return first; }  // NOLINT(google-explicit-constructor)

  double first, second = std::numeric_limits<double>::quiet_NaN();
};

// Row i of the responses of a latent function, which have one column or two.
inline Observed observed(MatrixIn y, Index i) {
  return y.cols() == 1 ? Observed(y(i, 0)) : Observed(y(i, 0), y(i, 1));
}

}  // namespace gpsieve

#endif
