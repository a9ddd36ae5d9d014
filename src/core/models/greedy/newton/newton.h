// The engine of Newton's method on the span of few kernel functions, for all rows and any
// likelihood: theory.md#newtons-method-on-the-span. The basis is an incomplete Cholesky factor, K_B
// = Z L', so that coordinates found earlier stay valid when a function is added.
#ifndef GPSIEVE_MODELS_GREEDY_NEWTON_NEWTON_H
#define GPSIEVE_MODELS_GREEDY_NEWTON_NEWTON_H

#include "models/greedy/incremental_basis.h"
#include "models/greedy/newton/newton_state.h"

namespace gpsieve {

class GreedyNewton {
 public:
  GreedyNewton(const BoundKernel& kernel, const Likelihood& likelihood, MatrixIn y,
               double prior_mean, Index capacity, const CaseTerms& cases = {});

  const IncrementalBasis& basis() const { return basis_; }  // Z, L
  const NewtonState& state() const { return state_; }
  Index size() const { return basis_.size(); }
  // Diagonal of K - Z Z'; 0 on the basis.
  const Vector& residual_kernel() const { return residual_kernel_; }

  // The decrease of J by one Newton step on the basis and each candidate, theory.md (20); -1 for
  // candidates in the span of the basis.
  Vector gains(const Indices& candidates, const Context& ctx);
  // Of all rows: residual kernel times squared slope of the log likelihood; -1 in the span.
  Vector pivot_scores() const;
  bool in_span(Index j) const;

  // False, and nothing changes, for a row in the span, and for one that has to wait because its
  // pivot is too small beside what its column explains of other rows: theory.md#rows-that-wait.
  bool add(Index j, const Context& ctx);
  void solve(double tolerance, const Context& ctx);
  void finish(double tolerance, const Context& ctx);  // solve() and polish() to rounding
  void border_step(const Context& ctx);

 private:
  struct CandidateSums;
  Vector gains_of(const Indices& candidates, const Context& ctx);
  Vector residual_column(Index j, VectorIn w, const Context& ctx) const;

  IncrementalBasis basis_;
  NewtonState state_;
  Vector residual_kernel_;
  Matrix residual_columns_;  // of the candidates judged last, where they are few numbers
  Indices columns_of_;       // those candidates; empty: the columns are not known
};

}  // namespace gpsieve

#endif
