// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/online/row_block.cpp"
#include "../core/models/online/valid_state.cpp"
