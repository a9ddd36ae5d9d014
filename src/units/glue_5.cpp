// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../convert_online.cpp"
#include "../convert_partition.cpp"
#include "../convert_posterior.cpp"
