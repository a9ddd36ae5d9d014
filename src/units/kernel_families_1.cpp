// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/kernel/families/affine.cpp"
#include "../core/kernel/families/algebra.cpp"
