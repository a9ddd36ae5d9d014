// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/online/machine_basis.cpp"
#include "../core/models/online/online.cpp"
