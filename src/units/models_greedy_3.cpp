// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/greedy/regression.cpp"
#include "../core/models/greedy/regression_evidence.cpp"
