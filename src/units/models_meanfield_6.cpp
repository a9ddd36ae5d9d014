// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/meanfield/newton.cpp"
#include "../core/models/meanfield/solution.cpp"
