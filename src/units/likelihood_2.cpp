// Written by tools/sources.sh.
#include "../core/likelihood/poisson.cpp"
#include "../core/likelihood/powered.cpp"
#include "../core/likelihood/predictions.cpp"
#include "../core/likelihood/probit.cpp"
#include "../core/likelihood/student.cpp"
