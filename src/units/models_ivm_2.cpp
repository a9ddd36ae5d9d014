// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/ivm/growth.cpp"
#include "../core/models/ivm/ivm.cpp"
#include "../core/models/ivm/parts.cpp"
