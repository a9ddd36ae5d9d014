// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/kernel/spec_values.cpp"
