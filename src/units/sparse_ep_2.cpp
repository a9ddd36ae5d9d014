// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/sparse_ep/sparse_ep.cpp"
#include "../core/sparse_ep/weighted_factors.cpp"
#include "../core/sparse_ep/whitened_posterior.cpp"
#include "../core/sparse_ep/whitened_rows.cpp"
#include "../core/sparse_ep/windowed_rows.cpp"
