// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/meanfield/gradient.cpp"
#include "../core/models/meanfield/inverse.cpp"
#include "../core/models/meanfield/iterative.cpp"
