// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/online/machine.cpp"
