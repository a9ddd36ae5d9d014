// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/math/row_checksums.cpp"
#include "../core/math/tilted_integral.cpp"
