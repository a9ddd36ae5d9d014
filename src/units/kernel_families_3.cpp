// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/kernel/families/stationary.cpp"
#include "../core/kernel/families/warped.cpp"
#include "../core/kernel/families/white.cpp"
