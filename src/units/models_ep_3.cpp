// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/ep/parameters.cpp"
#include "../core/models/ep/shards.cpp"
