// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/likelihood/families/poisson.cpp"
#include "../core/likelihood/families/probit.cpp"
#include "../core/likelihood/families/quantile.cpp"
