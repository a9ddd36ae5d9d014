// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/simd/kernels_portable.cpp"
