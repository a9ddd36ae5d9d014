// Written by tools/sources.sh.
#include "../core/models/ep/shards.cpp"
