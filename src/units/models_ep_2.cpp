// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/ep/shards.cpp"
