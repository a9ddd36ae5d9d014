// Written by tools/sources.sh.
#include "../RcppExports.cpp"
