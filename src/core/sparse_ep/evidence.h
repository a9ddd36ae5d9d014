// The evidence log Z of a schedule (theory.md#evidence) and its gradient by the parameters of
// kernel and likelihood and by the inducing inputs (theory.md#gradient).
#ifndef GPSIEVE_SPARSE_EP_EVIDENCE_H
#define GPSIEVE_SPARSE_EP_EVIDENCE_H

#include "sparse_ep/sparse_ep.h"

namespace gpsieve {

enum class GradientForm {
  none,
  // theory.md (28), which is exact at a fixed point of EP.
  fixed_point,
  // SEP and ADF: theory.md (29), the partial derivative of log Z with the shared factor held fixed.
  exact
};

struct EpEvidence {
  double log_z;
  Vector kernel, likelihood;  // gradient by log parameters
  Matrix inputs;              // gradient by the inducing inputs, p x m; empty unless asked for
};

// The sum over rows is multiplied by `scale`, n / s for a minibatch of s rows. For ADF log_z is no
// evidence but the function whose derivative with fixed cavities is the gradient.
EpEvidence sparse_ep_evidence(const SparseEp& ep, WhitenedRows& rows, double scale,
                              GradientForm form, bool by_inputs, const Context& ctx);

// The two parts of sparse_ep_evidence(): sums over rows, and what follows from them.
EvidenceSums evidence_sums(const SparseEp& ep, WhitenedRows& rows, double scale, GradientForm form,
                           bool by_inputs, const Context& ctx);
EpEvidence finish_evidence(const SparseEp& ep, const Inducing& inducing, EvidenceSums sums,
                           double scale, GradientForm form, bool by_inputs, const Context& ctx);

}  // namespace gpsieve

#endif
