// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/linalg/anderson.cpp"
#include "../core/linalg/blocked.cpp"
#include "../core/linalg/cholesky.cpp"
#include "../core/linalg/gemm_rate.cpp"
