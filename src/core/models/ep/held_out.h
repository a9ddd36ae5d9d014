// Held-out rows: their loss, and when to stop because of it (theory.md#held-out-rows).
#ifndef GPSIEVE_MODELS_EP_HELD_OUT_H
#define GPSIEVE_MODELS_EP_HELD_OUT_H

#include "sparse_ep/sparse_ep.h"

namespace gpsieve {

// Rows that take no part in learning; no rows if `factors` is null.
struct HeldOut {
  Factors* factors;
  Points x;
  double weight = 0.0;  // sum of the rows' case weights; 0: every row has weight 1
};

// Mean negative log predictive probability (density) of the held-out rows under q, with the
// likelihood parameters of `learned`.
double held_out_loss(const HeldOut& held_out, const Factors& learned, const SparseEp& ep,
                     const Inducing& inducing, const Context& ctx);

class EarlyStopping {
 public:
  explicit EarlyStopping(Index patience) : patience_(patience) {}
  // True for the first loss, and for one that is lower than the least by more than a tolerance.
  bool improves(double loss, Index iteration);
  // True if the loss has not improved for `patience` iterations.
  void visit(Archive& archive) {
    archive.visit(best_iteration_);
    archive.visit(least_);
  }
  bool exhausted(Index iteration) const { return iteration - best_iteration_ >= patience_; }

 private:
  Index patience_, best_iteration_ = 0;
  double least_ = 0.0;
};

}  // namespace gpsieve

#endif
