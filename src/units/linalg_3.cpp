// Written by tools/sources.sh.
#include "../core/linalg/views.cpp"
