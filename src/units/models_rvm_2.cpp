// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/rvm/classification_e_step.cpp"
#include "../core/models/rvm/column_space.cpp"
