// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/math/tilted_integral.cpp"
