// The information of a filter, and its state under another kernel (theory.md#another-kernel).
#ifndef GPSIEVE_MODELS_ONLINE_ANOTHER_KERNEL_H
#define GPSIEVE_MODELS_ONLINE_ANOTHER_KERNEL_H

#include "kernel/kernel.h"
#include "models/online/online.h"

namespace gpsieve {

struct Information {
  Matrix precision;                   // P = S^-1
  Vector weight_variance, stiffness;  // g and p of theory.md (4)
};
Information information_of(MatrixIn covariance, MatrixIn whitening);

// The state that has the same information about f at its basis points, divided by `noise_ratio`,
// and the prior of `kernel`. `basis` holds the basis points as columns.
OnlineState under_another_kernel(OnlineState state, const Kernel& kernel, Points basis,
                                 double noise_ratio, const OnlineOptions& options);

}  // namespace gpsieve

#endif
