// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/likelihood/families/function_likelihood.cpp"
#include "../core/likelihood/families/gamma.cpp"
#include "../core/likelihood/families/gaussian.cpp"
