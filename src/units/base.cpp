// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/base/large_pages.cpp"
