// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/greedy/newton/newton_state.cpp"
