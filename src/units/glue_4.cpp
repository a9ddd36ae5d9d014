// Written by tools/sources.sh.
#include "../contraction.h"
#include "../convert.cpp"
