// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/ep/approximation.cpp"
#include "../core/models/ep/ep.cpp"
#include "../core/models/ep/held_out.cpp"
#include "../core/models/ep/learner.cpp"
#include "../core/models/ep/pairwise_factors.cpp"
#include "../core/models/ep/parameters.cpp"
#include "../core/models/ep/shards.cpp"
