// Written by tools/sources.sh.
#include "../core/learning/step_rules.cpp"
