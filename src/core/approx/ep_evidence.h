// EP's log evidence of a FITC model as a function of its hyper-parameters.
#ifndef GPSIEVE_APPROX_EP_EVIDENCE_H
#define GPSIEVE_APPROX_EP_EVIDENCE_H

#include "approx/parallel_ep.h"

namespace gpsieve {

struct EpEvidence {
  double value;
  Vector kernel_gradient, likelihood_gradient;  // log scale; empty unless asked for
  bool converged;
  Vector precision, shift;  // the sites, to start from next time
};

// Runs EP from the given sites (empty: from none) and evaluates log Z and its gradient there. The
// gradient is exact where EP has converged.
EpEvidence ep_evidence(const Kernel& kernel, const Likelihood& likelihood, Points inducing,
                       Points x, VectorIn y, double prior_mean, double jitter,
                       const EpOptions& options, VectorIn precision, VectorIn shift, bool gradient,
                       const Context& ctx);

}  // namespace gpsieve

#endif
