// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/sparse_ep/sparse_ep.cpp"
