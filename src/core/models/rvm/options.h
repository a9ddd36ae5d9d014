// How a relevance vector machine is trained.
#ifndef GPSIEVE_MODELS_RVM_OPTIONS_H
#define GPSIEVE_MODELS_RVM_OPTIONS_H

#include "base/types.h"

namespace gpsieve {

enum class RvmAlgorithm { ssem, em, fast };
enum class RvmUpdate { mackay, em };
enum class RvmEntry { optimal, guarded, fixed, literal };
enum class RvmInference { tap, laplace, naive };

struct RvmOptions {
  RvmAlgorithm algorithm = RvmAlgorithm::ssem;
  RvmUpdate update = RvmUpdate::mackay;
  RvmEntry entry = RvmEntry::optimal;
  RvmInference inference = RvmInference::tap;  // of classification
  bool intercept = true;                       // the first candidate
  double prune = 1e6;        // a function whose precision exceeds it leaves the model
  Vector alpha_start;        // start precisions: one number, or one per candidate
  double noise_start = 0.1;  // start value of the noise variance
  bool learn_noise = true;   // false: the noise stays what it is at the start
  bool noise_grow = true;    // learn it during the sweep too, not only in the batch phase
  bool augmented = false;    // variances with an extra function at every point of prediction
  Index max_iter = 1000;     // batch iterations; actions of the fast algorithm
  double tol = 1e-6;         // relative change of the evidence; least gain of a fast action
  bool random_order = true;  // of the sweep
  Index sweeps = 1;
};

}  // namespace gpsieve

#endif
