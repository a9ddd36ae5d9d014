// The engine of the primal form Q, theory.md (8) to (10): regression on few kernel functions and
// all rows,
//   Q(b) = -(K_B'y)'b + b'A b / 2,  A = K_B'K_B + s2 K_BB = L L',
// whose minimum over b is kept up to date as functions are added.
#ifndef GPSIEVE_MODELS_GREEDY_REGRESSION_H
#define GPSIEVE_MODELS_GREEDY_REGRESSION_H

#include "models/greedy/incremental_basis.h"
#include "models/greedy/kernel_operator.h"

namespace gpsieve {

class GreedyRegression {
 public:
  // `track_residual_kernel` keeps the diagonal of K - K_B K_BB^-1 K_B', at O(mn) per function.
  GreedyRegression(const BoundKernel& kernel, VectorIn y, double noise, Index capacity,
                   bool track_residual_kernel = false);

  const IncrementalBasis& basis() const { return basis_; }
  Index size() const { return basis_.size(); }
  double noise() const { return noise_; }
  double objective() const { return objective_; }       // Q = -|z|^2 / 2
  const Vector& fitted() const { return fitted_; }      // V z
  const Vector& residual() const { return residual_; }  // y - V z
  const Vector& residual_kernel() const { return residual_kernel_; }

  // The decrease of Q by each candidate, all coefficients fitted again; -1 for candidates in the
  // basis or, in floating point, in its span.
  Vector gains(const Indices& candidates, const Context& ctx) const;
  // False, and nothing changed, if k_j lies in the span of the basis.
  bool add(Index j, const Context& ctx);
  // The last accepted function's orthogonal column, and y's coordinate on it.
  Vector last_column() const { return basis_.columns().col(size() - 1); }
  double last_coordinate() const { return coordinates_[size() - 1]; }

  Vector weights() const;                                           // b = L^-T z
  Matrix kernel_factor() const { return kernel_factor_.factor(); }  // lower, of K_BB

 private:
  struct CandidateSums;
  Vector gains_of(const Indices& candidates, const Context& ctx) const;

  IncrementalBasis basis_;         // V = K_B L^-T
  GrowingCholesky kernel_factor_;  // of K_BB
  // U' where [V; U] = [K_B; s R] L^-T has orthonormal columns and K_BB = R'R: the part of A that is
  // not in V.
  GrowingCholesky lower_part_;
  double noise_, objective_ = 0.0;
  Vector y_, fitted_, residual_, residual_kernel_;
  Vector coordinates_;  // z
  Matrix to_whitened_;  // L'R^-1, upper: V L'R^-1 is the incomplete Cholesky factor
};

// Every row is a candidate: slopes and curvatures of all rows are updated for each accepted
// function, theory.md (11).
class FullPool {
 public:
  FullPool(const GreedyRegression& engine, VectorIn y, const KernelOperator& kernel,
           const Context& ctx);

  Vector gains(const GreedyRegression& engine) const;
  void update(const GreedyRegression& engine, const Context& ctx);
  // Minus the gradient of Q by every row's coefficient: K r - s2 f.
  const Vector& slopes() const { return slope_; }

 private:
  const KernelOperator& kernel_;
  Vector norm_, curvature_, slope_;
};

}  // namespace gpsieve

#endif
