// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/math/normal_interval.cpp"
#include "../core/math/quadrature.cpp"
#include "../core/math/row_checksums.cpp"
