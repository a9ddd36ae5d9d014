// Written by tools/sources.sh.
#include "../core/kernel/families/affine.cpp"
#include "../core/kernel/families/algebra.cpp"
