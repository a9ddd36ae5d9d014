// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/kernel/evaluated_block.cpp"
#include "../core/kernel/gram_blocks.cpp"
#include "../core/kernel/kernel.cpp"
#include "../core/kernel/prepared_points.cpp"
#include "../core/kernel/registry.cpp"
#include "../core/kernel/sparse_rows.cpp"
#include "../core/kernel/spec_values.cpp"
