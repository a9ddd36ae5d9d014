// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/learning/quasi_newton.cpp"
#include "../core/learning/step_rules.cpp"
