// Written by tools/sources.sh.
#include "../core/sparse_ep/sparse_ep.cpp"
