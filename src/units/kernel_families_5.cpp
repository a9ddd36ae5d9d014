// Written by tools/sources.sh.
#include "../core/kernel/families/rbf.cpp"
#include "../core/kernel/families/scaled_pairs.cpp"
#include "../core/kernel/families/stationary.cpp"
#include "../core/kernel/families/white.cpp"
