// The engine of the dual form Q*(a) = -y'a + a'(K + s2 I) a / 2 on few rows, theory.md (12). It
// bounds the primal form from below: min Q >= -|y|^2 / 2 - s2 Q*(a), theory.md (4).
#ifndef GPSIEVE_MODELS_GREEDY_DUAL_H
#define GPSIEVE_MODELS_GREEDY_DUAL_H

#include "models/greedy/incremental_basis.h"

namespace gpsieve {

// An incomplete Cholesky factor of K + s2 I whose pivots are the rows with the largest gains. The
// gains of all rows are kept up to date at O(mn) for each function.
class GreedyDual {
 public:
  GreedyDual(const BoundKernel& kernel, VectorIn y, double noise, Index capacity);

  const IncrementalBasis& basis() const { return basis_; }
  Index size() const { return basis_.size(); }
  double objective() const { return objective_; }  // Q*

  // The best of the candidates (nullptr: of all rows), the lowest of equals; -1 if none is left.
  Index best(const Indices* candidates) const;
  void add(Index j, const Context& ctx);

 private:
  IncrementalBasis basis_;  // K_B L^-T, L L' = K_BB + s2 I
  double noise_, objective_ = 0.0;
  Vector residual_, variance_;  // y - K a, and s2 + the conditional variance, at every row
};

}  // namespace gpsieve

#endif
