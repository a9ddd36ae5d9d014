// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/models/online/machine.cpp"
