// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/greedy/newton/laplace_evidence.cpp"
#include "../core/models/greedy/newton/newton.cpp"
#include "../core/models/greedy/newton/newton_state.cpp"
#include "../core/models/greedy/newton/saturated.cpp"
#include "../core/models/greedy/newton/search.cpp"
