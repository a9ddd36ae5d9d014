// Written by tools/sources.sh.
#include "../core/models/trace.cpp"
