// Dense Gaussian processes by mean-field approximations: TAP (the fixed point of expectation
// propagation), the variational ensemble, naive mean field and Laplace's method (Csato et al. 2000,
// Opper & Winther 2000). With Gaussian noise: the exact Gaussian process.
#ifndef GPSIEVE_MODELS_MEANFIELD_MEANFIELD_H
#define GPSIEVE_MODELS_MEANFIELD_MEANFIELD_H

#include "kernel/kernel.h"
#include "models/meanfield/solution.h"

namespace gpsieve {

struct MeanfieldFit {
  FitResult fit;
  Vector corrected;  // per latent function: log evidence with the linear-response correction
};

// One machine per column of y, all on one kernel matrix. Memory: that matrix and one more for each
// machine at work or done.
MeanfieldFit fit_meanfield(const Kernel& kernel, const Likelihood& likelihood, Points x, MatrixIn y,
                           VectorIn prior_mean, const MeanfieldOptions& options,
                           const Context& ctx);

struct MeanfieldEvidence {
  double value;
  Vector gradient;  // by log parameters, kernel's then likelihood's
  bool converged;
  Matrix weights, cavity;  // to start from next time, a column per machine
};

// The log evidence, summed over machines, from the given start (empty: from nothing).
MeanfieldEvidence meanfield_evidence(const Kernel& kernel, const Likelihood& likelihood, Points x,
                                     MatrixIn y, VectorIn prior_mean,
                                     const MeanfieldOptions& options, MatrixIn weights,
                                     MatrixIn cavity, const Context& ctx);

}  // namespace gpsieve

#endif
