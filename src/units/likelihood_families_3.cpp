// Written by tools/sources.sh.
#include "../core/likelihood/families/ordinal.cpp"
#include "../core/likelihood/families/poisson.cpp"
#include "../core/likelihood/families/probit.cpp"
