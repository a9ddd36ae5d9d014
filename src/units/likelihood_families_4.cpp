// Written by tools/sources.sh.
#include "../core/likelihood/families/probit.cpp"
#include "../core/likelihood/families/student.cpp"
#include "../core/likelihood/families/zero_inflated.cpp"
