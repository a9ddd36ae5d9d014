// Written by tools/sources.sh.
#include "../core/likelihood/families/gamma.cpp"
#include "../core/likelihood/families/gaussian.cpp"
#include "../core/likelihood/families/label_noise.cpp"
#include "../core/likelihood/families/logit.cpp"
#include "../core/likelihood/families/negative_binomial.cpp"
