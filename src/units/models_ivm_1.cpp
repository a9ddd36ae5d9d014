// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/models/ivm/delayed_columns.cpp"
#include "../core/models/ivm/full_search.cpp"
