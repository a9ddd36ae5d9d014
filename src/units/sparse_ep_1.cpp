// Written by tools/sources.sh.
#include "../toolchain/contraction.h"
#include "../core/sparse_ep/converged_evidence.cpp"
#include "../core/sparse_ep/evidence.cpp"
#include "../core/sparse_ep/factors.cpp"
#include "../core/sparse_ep/inducing.cpp"
#include "../core/sparse_ep/likelihood_factors.cpp"
#include "../core/sparse_ep/run_to_convergence.cpp"
