// Dense Gaussian processes by mean-field approximations (theory.md): TAP (the fixed point of
// expectation propagation), the variational ensemble, naive mean field and Laplace's method. With
// Gaussian noise each is the exact Gaussian process.
#ifndef GPSIEVE_MODELS_MEANFIELD_MEANFIELD_H
#define GPSIEVE_MODELS_MEANFIELD_MEANFIELD_H

#include "kernel/kernel.h"
#include "likelihood/case_terms.h"
#include "models/meanfield/solution.h"

namespace gpsieve {

struct MeanfieldFit {
  FitResult fit;
  Vector corrected;  // FieldSolution::corrected of each latent function
};

// One machine per column of y, all on one kernel matrix. Memory: that matrix, and another one for
// every machine that is running or finished.
MeanfieldFit fit_meanfield(const Kernel& kernel, const Likelihood& likelihood, Points x, MatrixIn y,
                           VectorIn prior_mean, const MeanfieldOptions& options, const Context& ctx,
                           const CaseTerms& cases = {});

struct MeanfieldEvidence {
  double value;
  Vector gradient;  // by the log parameters of the kernel, then of the likelihood
  bool converged;
  Matrix means, cavity;  // m and s, a column per machine: a start for the next evaluation
};

// The log evidence, summed over machines. `means` and `cavity` are those of an earlier evaluation
// with similar hyper-parameters; matrices of no columns start from zero weights.
MeanfieldEvidence meanfield_evidence(const Kernel& kernel, const Likelihood& likelihood, Points x,
                                     MatrixIn y, VectorIn prior_mean,
                                     const MeanfieldOptions& options, MatrixIn means,
                                     MatrixIn cavity, const Context& ctx,
                                     const CaseTerms& cases = {});

}  // namespace gpsieve

#endif
