// Written by tools/sources.sh.
#include "../core/kernel/families/periodic.cpp"
#include "../core/kernel/families/polynomial.cpp"
#include "../core/kernel/families/rational_quadratic.cpp"
#include "../core/kernel/families/rbf.cpp"
#include "../core/kernel/families/scaled_pairs.cpp"
#include "../core/kernel/families/stationary.cpp"
#include "../core/kernel/families/white.cpp"
