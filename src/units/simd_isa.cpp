// Written by tools/sources.sh.
#include "../core/simd/isa.cpp"
