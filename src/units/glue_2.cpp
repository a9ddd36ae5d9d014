// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../bind_info.cpp"
#include "../bind_ivm.cpp"
#include "../bind_kernel.cpp"
#include "../bind_learning.cpp"
#include "../bind_likelihood.cpp"
#include "../bind_meanfield.cpp"
#include "../bind_online.cpp"
