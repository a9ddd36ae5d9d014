// The evidence of EP run to convergence at given hyper-parameters and inducing inputs: the
// objective that learning maximises.
#ifndef GPSIEVE_SPARSE_EP_CONVERGED_EVIDENCE_H
#define GPSIEVE_SPARSE_EP_CONVERGED_EVIDENCE_H

#include "sparse_ep/evidence.h"

namespace gpsieve {

struct ConvergedEvidence {
  EpEvidence evidence;
  bool converged;
  Sites sites;  // to start from next time
};

// EP over all rows from the given sites (empty: from none), and its evidence there: the gradient is
// exact where EP has converged.
ConvergedEvidence converged_evidence(const Kernel& kernel, const Factors& factors, Points x,
                                     const Matrix& inducing, double jitter, int max_passes,
                                     double tolerance, Sites start, bool gradient, bool by_inputs,
                                     const Context& ctx);

}  // namespace gpsieve

#endif
