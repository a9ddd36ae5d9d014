// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/likelihood/powered.cpp"
#include "../core/likelihood/predictions.cpp"
