// Written by tools/sources.sh.
#include "../core/simd/kernels_avx2.cpp"
