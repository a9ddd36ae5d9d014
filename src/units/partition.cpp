// Written by tools/sources.sh.
#include "../core/partition/partition_tree.cpp"
