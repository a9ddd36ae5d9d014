// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/math/tilted_integral.cpp"
