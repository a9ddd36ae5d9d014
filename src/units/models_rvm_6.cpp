// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/rvm/sites.cpp"
