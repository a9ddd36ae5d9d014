// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/meanfield/meanfield.cpp"
