// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../bind_data.cpp"
#include "../bind_ep.cpp"
#include "../bind_ep_evidence.cpp"
#include "../bind_exact.cpp"
#include "../bind_files.cpp"
