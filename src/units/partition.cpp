// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/partition/partition_tree.cpp"
