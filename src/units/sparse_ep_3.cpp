// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/sparse_ep/run_to_convergence.cpp"
