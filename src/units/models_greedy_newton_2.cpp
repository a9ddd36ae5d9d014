// Written by tools/sources.sh.
#include "../core/models/greedy/newton/newton_state.cpp"
