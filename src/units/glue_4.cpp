// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../context_r.cpp"
