// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/likelihood/families/student.cpp"
#include "../core/likelihood/families/warped.cpp"
#include "../core/likelihood/families/zero_inflated.cpp"
