// Written by tools/sources.sh.
#include "../core/models/meanfield/gradient.cpp"
#include "../core/models/meanfield/inverse.cpp"
