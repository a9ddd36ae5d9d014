// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/learning/step_rules.cpp"
