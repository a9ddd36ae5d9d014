// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/kernel/families/on_dims.cpp"
#include "../core/kernel/families/periodic.cpp"
#include "../core/kernel/families/polynomial.cpp"
