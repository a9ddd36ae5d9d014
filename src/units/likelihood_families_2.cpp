// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/likelihood/families/ordinal.cpp"
#include "../core/likelihood/families/poisson.cpp"
#include "../core/likelihood/families/probit.cpp"
#include "../core/likelihood/families/quantile.cpp"
#include "../core/likelihood/families/quantile_mixture.cpp"
#include "../core/likelihood/families/row_counts.cpp"
#include "../core/likelihood/families/row_integrals.cpp"
