// Guaranteed error bars, one expansion for every new point: theory.md (13).
#ifndef GPSIEVE_MODELS_GREEDY_ERROR_BARS_H
#define GPSIEVE_MODELS_GREEDY_ERROR_BARS_H

#include "base/context.h"
#include "kernel/kernel.h"

namespace gpsieve {

struct ErrorBarOptions {
  double tol = 0.025;
  Index max_basis = 200;
  // `tol` is the width of the interval relative to the variance of an observation, or (true) to
  // the explained variance E = k'(K + s2 I)^-1 k.
  bool relative_to_explained = false;
  double stored_bytes = 512e6;
};

// Column j: lower and upper bound of the latent variance k** - E of the exact Gaussian process at
// x_new_j, and the number of functions it took. With y := k both quadratic forms bound E:
//   -2 Q*(a*) <= E <= (|k|^2 + 2 Q(a)) / s2.
Matrix greedy_error_bars(const Kernel& kernel, Points x, double noise, Points x_new,
                         const ErrorBarOptions& options, const Context& ctx);

}  // namespace gpsieve

#endif
