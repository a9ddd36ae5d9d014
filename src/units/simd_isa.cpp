// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/simd/isa.cpp"
