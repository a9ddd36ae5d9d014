// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/likelihood/families/quantile_mixture.cpp"
#include "../core/likelihood/families/row_counts.cpp"
