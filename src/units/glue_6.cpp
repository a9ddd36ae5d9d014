// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../convert_ep.cpp"
#include "../convert_meanfield.cpp"
#include "../convert_partition.cpp"
