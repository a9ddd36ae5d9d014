// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/kernel/families/rational_quadratic.cpp"
#include "../core/kernel/families/rbf.cpp"
#include "../core/kernel/families/scaled_pairs.cpp"
