// Written by tools/sources.sh.
#include "../core/simd/kernels_neon.cpp"
