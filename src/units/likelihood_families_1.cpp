// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/likelihood/families/beta.cpp"
#include "../core/likelihood/families/binomial.cpp"
#include "../core/likelihood/families/censored.cpp"
