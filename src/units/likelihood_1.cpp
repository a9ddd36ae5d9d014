// Written by tools/sources.sh.
#include "../core/likelihood/entropy.cpp"
#include "../core/likelihood/gaussian.cpp"
#include "../core/likelihood/label_noise.cpp"
#include "../core/likelihood/likelihood.cpp"
#include "../core/likelihood/logit.cpp"
#include "../core/likelihood/make_likelihood.cpp"
