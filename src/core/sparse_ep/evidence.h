// log Z of expectation propagation on inducing inputs, and its gradient by everything that can be
// learned (math: EP, sections 5, 6 and 11).
#ifndef GPSIEVE_SPARSE_EP_EVIDENCE_H
#define GPSIEVE_SPARSE_EP_EVIDENCE_H

#include "sparse_ep/sparse_ep.h"

namespace gpsieve {

enum class GradientForm {
  none,
  // Eq. (2) of the paper: exact at a fixed point of EP, an approximation for tied sites.
  paper,
  // Tied and accumulated sites: the partial derivative of log Z with the factor held fixed.
  exact
};

struct EpEvidence {
  double log_z;
  Vector kernel, likelihood;  // by log parameters
  Matrix inputs;              // by the inducing inputs, p x m; empty unless asked for
};

// The rows' share of log Z counts `scale` times (n / s for a minibatch). Accumulated sites have no
// evidence: their value is a function whose formal gradient this is.
EpEvidence sparse_ep_evidence(const SparseEp& ep, WhitenedRows& rows, double scale,
                              GradientForm form, bool by_inputs, const Context& ctx);

}  // namespace gpsieve

#endif
