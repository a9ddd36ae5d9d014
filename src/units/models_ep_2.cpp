// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/ep/learner.cpp"
#include "../core/models/ep/pairwise_factors.cpp"
