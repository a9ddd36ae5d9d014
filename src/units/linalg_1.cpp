// Written by tools/sources.sh.
#include "../core/linalg/blocked.cpp"
#include "../core/linalg/cholesky.cpp"
#include "../core/linalg/packed_panel.cpp"
