// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/linalg/strips.cpp"
#include "../core/linalg/triangular.cpp"
#include "../core/linalg/views.cpp"
