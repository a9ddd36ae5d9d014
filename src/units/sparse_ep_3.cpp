// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/sparse_ep/sparse_ep.cpp"
