// Written by tools/sources.sh.
#include "../convert_ep.cpp"
#include "../convert_meanfield.cpp"
