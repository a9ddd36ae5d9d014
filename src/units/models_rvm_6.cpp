// Written by tools/sources.sh.
#include "../core/models/rvm/sites.cpp"
