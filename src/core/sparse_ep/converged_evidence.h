// The evidence of EP run to convergence at given hyper-parameters and inducing inputs, theory.md
// (18): the objective of quasi-Newton methods.
#ifndef GPSIEVE_SPARSE_EP_CONVERGED_EVIDENCE_H
#define GPSIEVE_SPARSE_EP_CONVERGED_EVIDENCE_H

#include "sparse_ep/evidence.h"
#include "sparse_ep/run_to_convergence.h"

namespace gpsieve {

struct ConvergedEvidence {
  EpEvidence evidence;
  bool converged;
  Sites sites;  // initial sites for a call at nearby hyper-parameters
};

struct ConvergedOptions {
  double jitter;  // relative: notation.md#factors
  ConvergenceOptions convergence;
  bool gradient, by_inputs;  // whether the gradient is wanted, and that by the inducing inputs
};

// EP over all rows from the given initial sites (empty: uniform sites), and its evidence. The
// gradient is exact where EP has converged.
ConvergedEvidence converged_evidence(const Kernel& kernel, const Factors& factors, Points x,
                                     const Matrix& inducing, const ConvergedOptions& options,
                                     Sites initial, const Context& ctx);

}  // namespace gpsieve

#endif
