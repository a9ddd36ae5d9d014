// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/posterior/sparse_posterior.cpp"
#include "../core/posterior/valid.cpp"
