// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/models/ivm/state.cpp"
