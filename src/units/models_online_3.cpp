// Written by tools/sources.sh.
#include "../core/models/online/online.cpp"
