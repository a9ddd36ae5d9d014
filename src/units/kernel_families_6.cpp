// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/kernel/families/separable.cpp"
#include "../core/kernel/families/stationary.cpp"
