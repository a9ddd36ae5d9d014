// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../RcppExports.cpp"
