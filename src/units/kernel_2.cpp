// Written by tools/sources.sh.
#include "../core/kernel/spec_values.cpp"
