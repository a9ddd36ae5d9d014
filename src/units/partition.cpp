// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/partition/partition_tree.cpp"
