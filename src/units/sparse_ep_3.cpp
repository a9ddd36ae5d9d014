// Written by tools/sources.sh.
#include "../core/sparse_ep/sparse_ep.cpp"
#include "../core/sparse_ep/weighted_factors.cpp"
