// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/exact/kernel_product.cpp"
#include "../core/exact/log_determinant.cpp"
#include "../core/exact/pic_preconditioner.cpp"
