// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/meanfield/coarse_start.cpp"
#include "../core/models/meanfield/fields.cpp"
#include "../core/models/meanfield/gaussian.cpp"
