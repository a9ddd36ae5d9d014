// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/online/another_kernel.cpp"
#include "../core/models/online/ep.cpp"
#include "../core/models/online/growing_symmetric.cpp"
#include "../core/models/online/machine.cpp"
#include "../core/models/online/machine_basis.cpp"
#include "../core/models/online/online.cpp"
