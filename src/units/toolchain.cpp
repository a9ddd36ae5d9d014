// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../toolchain/thread_exit.cpp"
