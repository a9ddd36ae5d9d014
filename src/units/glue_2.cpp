// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../bind_greedy.cpp"
#include "../bind_greedy_evidence.cpp"
#include "../bind_info.cpp"
#include "../bind_ivm.cpp"
#include "../bind_kernel.cpp"
#include "../bind_learning.cpp"
