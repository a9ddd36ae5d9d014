// Written by tools/sources.sh.
#include "../core/kernel/families/algebra.cpp"
#include "../core/kernel/families/constant.cpp"
#include "../core/kernel/families/function_kernel.cpp"
#include "../core/kernel/families/leaf.cpp"
#include "../core/kernel/families/linear.cpp"
#include "../core/kernel/families/matern.cpp"
#include "../core/kernel/families/on_dims.cpp"
