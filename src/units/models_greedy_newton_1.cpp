// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/models/greedy/newton/laplace_evidence.cpp"
#include "../core/models/greedy/newton/newton.cpp"
