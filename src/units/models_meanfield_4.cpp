// Written by tools/sources.sh.
#include "../core/models/meanfield/meanfield.cpp"
