// The kernel matrix of many points, in blocks of columns with a check for interrupts between them.
#ifndef GPSIEVE_KERNEL_GRAM_BLOCKS_H
#define GPSIEVE_KERNEL_GRAM_BLOCKS_H

#include "base/context.h"
#include "kernel/kernel.h"

namespace gpsieve {

// The lower triangle of the kernel matrix of x; what the strict upper triangle holds afterwards is
// not specified. Throws NumericalFailure, which names the row, where the matrix is not finite or
// its diagonal is negative.
void lower_gram(const Kernel& kernel, Points x, MatrixOut k, const Context& ctx);

}  // namespace gpsieve

#endif
