// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/ivm/pool_search.cpp"
#include "../core/models/ivm/refinement.cpp"
#include "../core/models/ivm/selection.cpp"
