// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/rvm/design_matrix.cpp"
#include "../core/models/rvm/fast_updates.cpp"
#include "../core/models/rvm/model.cpp"
