// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/rvm/posterior.cpp"
#include "../core/models/rvm/regression.cpp"
