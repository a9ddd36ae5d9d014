// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/exact/conjugate_gradients.cpp"
#include "../core/exact/covariance_product.cpp"
#include "../core/exact/exact_solution.cpp"
#include "../core/exact/kernel_product.cpp"
#include "../core/exact/log_determinant.cpp"
#include "../core/exact/pic_preconditioner.cpp"
