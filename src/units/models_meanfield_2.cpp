// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/meanfield/inverse.cpp"
#include "../core/models/meanfield/iterative.cpp"
#include "../core/models/meanfield/iterative_sites.cpp"
#include "../core/models/meanfield/meanfield.cpp"
#include "../core/models/meanfield/newton.cpp"
#include "../core/models/meanfield/solution.cpp"
