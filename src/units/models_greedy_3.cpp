// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/models/greedy/regression.cpp"
#include "../core/models/greedy/regression_evidence.cpp"
