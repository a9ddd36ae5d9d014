// Written by tools/sources.sh.
#include "../core/models/rvm/posterior.cpp"
#include "../core/models/rvm/regression.cpp"
