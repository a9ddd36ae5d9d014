// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/greedy/regression_search.cpp"
#include "../core/models/greedy/search.cpp"
