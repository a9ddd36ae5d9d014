// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/models/greedy/newton/newton_state.cpp"
