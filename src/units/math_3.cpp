// Written by tools/sources.sh.
#include "../core/math/tilted_integral.cpp"
