// Written by tools/sources.sh.
#include "../core/linalg/blocked.cpp"
#include "../core/linalg/cholesky.cpp"
#include "../core/linalg/packed_panel.cpp"
#include "../core/linalg/products.cpp"
#include "../core/linalg/strips.cpp"
#include "../core/linalg/triangular.cpp"
#include "../core/linalg/views.cpp"
