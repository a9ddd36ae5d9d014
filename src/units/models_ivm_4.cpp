// Written by tools/sources.sh.
#include "../core/models/ivm/state.cpp"
