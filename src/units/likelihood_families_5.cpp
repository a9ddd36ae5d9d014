// Written by tools/sources.sh.
#include "../core/likelihood/families/zero_inflated.cpp"
