// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/posterior/augmentation.cpp"
#include "../core/posterior/dense_factor.cpp"
#include "../core/posterior/joint_covariance.cpp"
#include "../core/posterior/local_variance.cpp"
#include "../core/posterior/mixture.cpp"
#include "../core/posterior/sparse_posterior.cpp"
#include "../core/posterior/valid.cpp"
