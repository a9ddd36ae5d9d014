// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/base/large_pages.cpp"
