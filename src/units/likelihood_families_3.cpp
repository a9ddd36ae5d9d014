// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/likelihood/families/label_noise.cpp"
#include "../core/likelihood/families/logit.cpp"
#include "../core/likelihood/families/negative_binomial.cpp"
#include "../core/likelihood/families/ordinal.cpp"
