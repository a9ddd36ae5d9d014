// Expectation propagation at fixed hyper-parameters, until nothing moves any more.
#ifndef GPSIEVE_SPARSE_EP_SETTLE_EP_H
#define GPSIEVE_SPARSE_EP_SETTLE_EP_H

#include "sparse_ep/sparse_ep.h"

namespace gpsieve {

struct SettleOptions {
  int max_passes = 3;
  // Stop when nothing moved by more than this (SparseEp::Change::largest); 0: always max_passes.
  double tolerance = 0.0;
  double damping = 1.0;
};

// One update of the rows that halves `damping` where more than a tenth of the factors were skipped
// or q's factor breaks down (likelihoods that are not log-concave only), the latter a few times
// before it gives up with NotPositiveDefinite.
SparseEp::Change careful_update(SparseEp& ep, WhitenedRows& rows, EpUpdate& options,
                                const Context& ctx);

// Passes over the rows until converged or max_passes; true if converged.
bool settle(SparseEp& ep, WhitenedRows& rows, const SettleOptions& options, const Context& ctx);

}  // namespace gpsieve

#endif
