// Written by tools/sources.sh.
#include "../convert.cpp"
