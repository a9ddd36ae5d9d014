// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/rvm/active_set.cpp"
#include "../core/models/rvm/classification.cpp"
#include "../core/models/rvm/classification_e_step.cpp"
#include "../core/models/rvm/column_space.cpp"
#include "../core/models/rvm/design_matrix.cpp"
#include "../core/models/rvm/fast_updates.cpp"
#include "../core/models/rvm/model.cpp"
