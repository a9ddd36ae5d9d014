// Written by tools/sources.sh.
#include "../core/models/ep/ep.cpp"
#include "../core/models/ep/held_out.cpp"
#include "../core/models/ep/optimiser.cpp"
#include "../core/models/ep/pairwise_factors.cpp"
#include "../core/models/ep/parameters.cpp"
#include "../core/models/ep/shards.cpp"
