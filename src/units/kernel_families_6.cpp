// Written by tools/sources.sh.
#include "../core/kernel/families/stationary.cpp"
#include "../core/kernel/families/white.cpp"
