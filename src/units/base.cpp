// Written by tools/sources.sh.
#include "../core/base/large_pages.cpp"
