// One factory per registered kernel, each in the kernel's own file; the registry lists them.
#ifndef GPSIEVE_KERNEL_FACTORIES_H
#define GPSIEVE_KERNEL_FACTORIES_H

#include "kernel/kernel.h"

namespace gpsieve {

using KernelFactory = std::unique_ptr<Kernel>(const KernelSpec& spec, const InputSpace& inputs);

KernelFactory make_rbf;
KernelFactory make_matern;
KernelFactory make_separable;
KernelFactory make_rational_quadratic;
KernelFactory make_linear;
KernelFactory make_polynomial;
KernelFactory make_periodic;
KernelFactory make_great_circle;
KernelFactory make_affine;
KernelFactory make_categorical;
KernelFactory make_constant;
KernelFactory make_white;
KernelFactory make_sum;
KernelFactory make_product;
KernelFactory make_on;
KernelFactory make_warped;
KernelFactory make_mixed;
KernelFactory make_function;

}  // namespace gpsieve

#endif
