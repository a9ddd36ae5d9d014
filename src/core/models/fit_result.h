// What every model returns: one sparse posterior per latent function, and how it got there.
#ifndef GPSIEVE_MODELS_FIT_RESULT_H
#define GPSIEVE_MODELS_FIT_RESULT_H

#include <string>
#include <vector>

#include "approx/sparse_posterior.h"
#include "base/types.h"

namespace gpsieve {

struct TraceRow {
  Index iteration;
  double objective;
  double seconds;  // wall clock since the start of the fit
  Index size;
};

struct LatentFit {
  SparsePosterior posterior;  // posterior.basis: rows of the training data, in order of inclusion
  Vector site_precision;      // Gaussian sites of the active rows
  Vector site_mean;
  double log_evidence = 0.0;
  Vector loo_probability;  // of +1 at every row from its cavity; empty where not computed
  std::vector<TraceRow> trace;
};

struct FitResult {
  std::vector<LatentFit> latents;
  bool converged = true;
  std::string reason;  // why it stopped early; empty if it did not
};

}  // namespace gpsieve

#endif
