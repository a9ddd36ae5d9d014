// Written by tools/sources.sh.
#include "../contraction.h"
#include "../core/learning/step_rules.cpp"
