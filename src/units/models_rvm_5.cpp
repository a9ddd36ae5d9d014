// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/rvm/rvm.cpp"
#include "../core/models/rvm/schedule.cpp"
