// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/kernel/sparse_rows.cpp"
#include "../core/kernel/spec_values.cpp"
