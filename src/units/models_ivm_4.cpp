// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/ivm/state.cpp"
