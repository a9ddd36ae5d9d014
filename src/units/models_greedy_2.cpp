// Written by tools/sources.sh.
#include "../core/models/greedy/kernel_operator.cpp"
#include "../core/models/greedy/posterior.cpp"
#include "../core/models/greedy/regression.cpp"
#include "../core/models/greedy/regression_evidence.cpp"
#include "../core/models/greedy/regression_search.cpp"
#include "../core/models/greedy/search.cpp"
