// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/likelihood/families/zero_inflated.cpp"
