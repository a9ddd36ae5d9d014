// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/likelihood/entropy.cpp"
#include "../core/likelihood/likelihood.cpp"
#include "../core/likelihood/make_likelihood.cpp"
#include "../core/likelihood/powered.cpp"
#include "../core/likelihood/predictions.cpp"
