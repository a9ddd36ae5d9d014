// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/linalg/packed_panel.cpp"
#include "../core/linalg/packed_triangle.cpp"
#include "../core/linalg/products.cpp"
#include "../core/linalg/scratch_matrix.cpp"
