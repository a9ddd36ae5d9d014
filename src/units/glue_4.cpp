// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../bind_rvm.cpp"
#include "../context_r.cpp"
#include "../convert.cpp"
#include "../convert_ep.cpp"
#include "../convert_meanfield.cpp"
