// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/learning/blocks.cpp"
#include "../core/learning/grouped_prior.cpp"
#include "../core/learning/learn_on_blocks.cpp"
#include "../core/learning/quasi_newton.cpp"
#include "../core/learning/step_rules.cpp"
