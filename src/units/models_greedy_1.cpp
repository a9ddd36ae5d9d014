// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/greedy/basis_cross.cpp"
#include "../core/models/greedy/candidates.cpp"
#include "../core/models/greedy/certificate.cpp"
#include "../core/models/greedy/dual.cpp"
#include "../core/models/greedy/error_bars.cpp"
