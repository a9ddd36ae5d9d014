// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../convert_problem.cpp"
