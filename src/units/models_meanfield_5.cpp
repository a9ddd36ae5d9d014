// Written by tools/sources.sh.
#include "../core/models/meanfield/newton.cpp"
#include "../core/models/meanfield/solution.cpp"
