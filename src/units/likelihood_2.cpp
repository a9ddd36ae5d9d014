// Written by tools/sources.sh.
#include "../core/likelihood/powered.cpp"
#include "../core/likelihood/predictions.cpp"
