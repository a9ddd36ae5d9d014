// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/kernel/families/great_circle.cpp"
#include "../core/kernel/families/leaf.cpp"
#include "../core/kernel/families/linear.cpp"
#include "../core/kernel/families/matern.cpp"
