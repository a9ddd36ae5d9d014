// Written by tools/sources.sh.
#include "../core/models/greedy/newton/search.cpp"
