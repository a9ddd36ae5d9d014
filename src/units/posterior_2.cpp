// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/posterior/valid.cpp"
