// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/math/line_integrals.cpp"
#include "../core/math/normal.cpp"
