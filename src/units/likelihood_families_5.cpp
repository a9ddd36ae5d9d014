// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/likelihood/families/row_counts.cpp"
#include "../core/likelihood/families/row_integrals.cpp"
