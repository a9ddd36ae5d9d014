// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/rvm/active_set.cpp"
#include "../core/models/rvm/classification.cpp"
