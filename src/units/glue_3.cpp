// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../bind_likelihood.cpp"
#include "../bind_meanfield.cpp"
#include "../bind_online.cpp"
#include "../bind_partition.cpp"
#include "../bind_predict.cpp"
