// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/math/argmax_probability.cpp"
#include "../core/math/column_scales.cpp"
#include "../core/math/gamma.cpp"
#include "../core/math/incomplete.cpp"
