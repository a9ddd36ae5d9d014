// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/kernel/families/categorical.cpp"
#include "../core/kernel/families/constant.cpp"
#include "../core/kernel/families/function_kernel.cpp"
