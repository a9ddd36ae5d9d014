// Dense Gaussian processes by mean-field approximations (theory.md): TAP (the fixed point of
// expectation propagation), the variational ensemble, naive mean field and Laplace's method. With
// Gaussian noise each is the exact Gaussian process.
#ifndef GPSIEVE_MODELS_MEANFIELD_MEANFIELD_H
#define GPSIEVE_MODELS_MEANFIELD_MEANFIELD_H

#include "models/fit_problem.h"
#include "models/meanfield/solution.h"

namespace gpsieve {

struct MeanfieldFit {
  FitResult fit;
  Vector corrected;  // FieldSolution::corrected of each latent function
};

// One machine per latent function, all on one kernel matrix. Memory: that matrix, and another one
// for every machine that is running or finished.
MeanfieldFit fit_meanfield(const FitProblem& data, const MeanfieldOptions& options,
                           const Context& ctx);

// The machines of parts of the rows, which may overlap: those of a part are fit_meanfield() on its
// rows. Row numbers are those of x. With Gaussian noise the cavities of the `judged` rows only are
// computed, one entry for each row of x (empty: all rows), and those of the others are NaN.
std::vector<FitResult> fit_meanfield_parts(const FitProblem& data, const MeanfieldOptions& options,
                                           const std::vector<Indices>& parts,
                                           const std::vector<bool>& judged, const Context& ctx);

struct MeanfieldEvidence {
  double value;
  Vector gradient;  // by the log parameters of the kernel, then of the likelihood
  bool converged;
  MeanfieldStart next;  // for the next evaluation
};

// The log evidence, summed over machines. `start` is that of an earlier evaluation with similar
// hyper-parameters.
MeanfieldEvidence meanfield_evidence(const FitProblem& data, const MeanfieldOptions& options,
                                     const MeanfieldStart& start, const Context& ctx);

}  // namespace gpsieve

#endif
