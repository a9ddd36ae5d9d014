// Written by tools/sources.sh.
#include "../core/linalg/triangular.cpp"
#include "../core/linalg/views.cpp"
