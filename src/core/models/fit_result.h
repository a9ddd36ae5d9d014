// What every model returns: one sparse posterior per latent function, and how it got there.
#ifndef GPSIEVE_MODELS_FIT_RESULT_H
#define GPSIEVE_MODELS_FIT_RESULT_H

#include <string>
#include <vector>

#include "base/types.h"
#include "models/trace.h"
#include "posterior/sparse_posterior.h"

namespace gpsieve {

struct LatentFit {
  // posterior.basis: rows of the training data (or columns of FitResult::points), in order of
  // inclusion.
  SparsePosterior posterior;
  Indices site_rows;  // training rows that have a Gaussian site; empty: those of the basis
  Vector site_precision, site_mean;
  double log_evidence = 0.0;
  Vector evidence_gradient;  // by log parameters, kernel's then likelihood's; empty: not computed
  // Of the latent function, prior mean included, at every row without the row's own likelihood;
  // empty where not computed.
  Vector cavity_mean, cavity_variance;
  std::vector<TraceRow> trace;
};

struct FitResult {
  std::vector<LatentFit> latents;
  Matrix points;  // basis points that are no training rows, as columns; empty: the basis is rows
  // Log parameters of the likelihood that the model learned by itself; empty: as given.
  Vector likelihood_params;
  bool converged = true;  // false: R warns with the reason
  std::string reason;     // why it stopped early; empty if it did not
};

}  // namespace gpsieve

#endif
