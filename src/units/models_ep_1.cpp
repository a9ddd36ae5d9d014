// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/ep/approximation.cpp"
#include "../core/models/ep/ep.cpp"
#include "../core/models/ep/held_out.cpp"
