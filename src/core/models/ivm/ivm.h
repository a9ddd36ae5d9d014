// The informative vector machine (Lawrence, Seeger & Herbrich 2002): assumed-density-filtering
// sites on an active set chosen greedily, optionally refined by EP with the active points as
// inducing inputs.
#ifndef GPSIEVE_MODELS_IVM_IVM_H
#define GPSIEVE_MODELS_IVM_IVM_H

#include <cstdint>

#include "base/context.h"
#include "base/rng.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/fit_result.h"

namespace gpsieve {

enum class Criterion { entropy, infogain, random };

struct IvmOptions {
  Index n_active = 500;
  Criterion criterion = Criterion::entropy;
  Index n_random = 2;   // picks at random first: with a constant diagonal all scores tie
  Index n_full = 198;   // picks by a search over all rows; then the selection index takes over
  Index pool = 500;     // size of the selection index
  double retain = 0.5;  // share of it that survives an inclusion
  int refine = 3;       // passes of FITC-EP over all rows; 0 = the plain IVM
};

// One latent function: y is -1/+1 or a number, whatever the likelihood wants.
LatentFit fit_ivm(const Kernel& kernel, const Likelihood& likelihood, Points x, VectorIn y,
                  double prior_mean, const IvmOptions& options, Rng rng, const Context& ctx);

// One machine per column of y, each with its own stream of random numbers; kernel columns of the
// full searches are computed once for all of them.
FitResult fit_ivm(const Kernel& kernel, const Likelihood& likelihood, Points x, MatrixIn y,
                  VectorIn prior_mean, const IvmOptions& options, std::uint64_t seed,
                  const Context& ctx);

// log N(site_mean | 0, K_II + diag(1 / site_precision)) and, where grad is not empty, its gradient
// in the kernel's log parameters and (last entry of grad_precision) in the sites' log precision.
double active_evidence(const Kernel& kernel, Points active, VectorIn site_precision,
                       VectorIn site_mean, VectorOut grad, VectorOut grad_log_precision);

}  // namespace gpsieve

#endif
