// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/kernel/spec_values.cpp"
