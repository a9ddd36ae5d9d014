// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/models/rvm/posterior.cpp"
#include "../core/models/rvm/regression.cpp"
