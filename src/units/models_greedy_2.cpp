// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/greedy/greedy.cpp"
#include "../core/models/greedy/incremental_basis.cpp"
#include "../core/models/greedy/kernel_operator.cpp"
#include "../core/models/greedy/posterior.cpp"
