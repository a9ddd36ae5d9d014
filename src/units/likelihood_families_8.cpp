// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/likelihood/families/zero_inflated.cpp"
