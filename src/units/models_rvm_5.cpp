// Written by tools/sources.sh.
#include "../core/models/rvm/rvm.cpp"
#include "../core/models/rvm/schedule.cpp"
