// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/rvm/posterior.cpp"
#include "../core/models/rvm/regression.cpp"
#include "../core/models/rvm/rvm.cpp"
#include "../core/models/rvm/schedule.cpp"
#include "../core/models/rvm/sites.cpp"
