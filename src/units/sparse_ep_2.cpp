// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/sparse_ep/inducing.cpp"
#include "../core/sparse_ep/likelihood_factors.cpp"
