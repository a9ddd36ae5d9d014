// Settings of a relevance vector machine (theory.md).
#ifndef GPSIEVE_MODELS_RVM_OPTIONS_H
#define GPSIEVE_MODELS_RVM_OPTIONS_H

#include "base/types.h"

namespace gpsieve {

// theory.md#batch-em, theory.md#subspace-em and theory.md#fast-updates.
enum class RvmAlgorithm { ssem, em, fast };
// M-step of the precisions: MacKay's fixed point, theory.md (10), or EM, theory.md (8).
enum class RvmUpdate { mackay, em };
// Entry rule of subspace EM, theory.md#subspace-em.
enum class RvmEntry { optimal, guarded, fixed, literal };
// True if a function enters only where this raises the evidence.
constexpr bool requires_gain(RvmEntry entry) {
  return entry == RvmEntry::optimal || entry == RvmEntry::guarded;
}
// Cavity variances in classification, theory.md#cavity-variances.
enum class RvmInference { tap, laplace, naive };

struct RvmOptions {
  RvmAlgorithm algorithm = RvmAlgorithm::ssem;
  RvmUpdate update = RvmUpdate::mackay;
  RvmEntry entry = RvmEntry::optimal;
  RvmInference inference = RvmInference::tap;  // used in classification only
  bool intercept = true;                       // candidate 0 is the constant function
  // Precisions belong to the weights of the scaled functions phi_j, theory.md (2).
  double prune = 1e6;        // a function whose precision exceeds this value is pruned
  double alpha_min = 0.0;    // smallest precision, for classes times the input noise
  Vector alpha_start;        // starting precisions: one number, or one for each candidate
  double noise_start = 0.1;  // starting value of the noise variance
  bool learn_noise = true;   // false: the noise variance stays at noise_start
  bool noise_grow = true;    // the sweep of subspace EM updates the noise variance as well
  bool augmented = false;    // predictive variances include an augmenting basis function
  Index max_iter = 1000;     // most iterations of batch EM, or most fast updates
  double tol = 1e-6;         // relative change of the evidence; least gain of a fast update
  bool random_order = true;  // the sweep visits the candidates in random order
  // Number of sweeps of subspace EM; 0: one, and a second where the first lowered the noise
  // variance much, in which every function enters at its starting precision.
  Index sweeps = 0;
};

}  // namespace gpsieve

#endif
