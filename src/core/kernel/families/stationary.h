// Kernels that depend on r2 = sum_d ((x_d - z_d) / lengthscale_d)^2 alone, through a profile k(r2).
//
// Hyper-parameters: variance, lengthscale (one, or one per input row), then the profile's own.
#ifndef GPSIEVE_KERNEL_FAMILIES_STATIONARY_H
#define GPSIEVE_KERNEL_FAMILIES_STATIONARY_H

#include "kernel/families/leaf.h"
#include "kernel/families/scaled_pairs.h"

namespace gpsieve {

class Stationary : public Leaf {
 public:
  // values: variance, n_lengthscales lengthscales, then the profile's own. `rows`: nullptr, or what
  // the row numbers that are the points refer to.
  Stationary(Vector values, Index n_lengthscales, std::shared_ptr<const SparseRows> rows)
      : Leaf(std::move(values)), n_lengthscales_(n_lengthscales), rows_(std::move(rows)) {}

  void cross(Points a, Points b, MatrixOut k) const final;
  std::unique_ptr<EvaluatedBlock> evaluate_block(Points a, Points b, MatrixOut k) const final;
  std::unique_ptr<PreparedPoints> prepare(Points x) const final;
  void diagonal(Points a, VectorOut k) const final;
  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const final;
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const final;
  void gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                 MatrixOut grad_b) const final;
  void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const final;
  void diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const final;

 protected:
  double own(Index i) const { return value(1 + n_lengthscales_ + i); }

  // k(r2) in place, variance included; k(0) = variance, k(Inf) = 0.
  virtual void profile(VectorOut r2) const = 0;
  // k(r2) and dk/dr2; the slope must be finite at 0 and 0 at Inf.
  virtual void profile_and_slope(VectorIn r2, VectorOut k, VectorOut slope) const = 0;
  // grad_m += sum_i g_i dk(r2_i) / d log own(m)
  virtual void own_gradient(VectorIn r2, VectorIn g, VectorOut grad) const;

 private:
  class Evaluated;
  class ScaledSet;
  void slopes(MatrixIn r2, MatrixIn g, MatrixOut h, VectorOut grad) const;
  void weigh(VectorIn r2, VectorIn k, VectorIn g, VectorOut slope, VectorOut grad) const;
  bool needs_sums(MatrixIn grad_x) const;
  Vector no_squares() const;
  void take_squares(const Vector& squares, VectorOut grad) const;
  void add_sparse_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const;
  auto lengthscale() const { return values(1, n_lengthscales_); }
  Vector precisions() const { return lengthscale().cwiseAbs2().cwiseInverse(); }

  Index n_lengthscales_;
  std::shared_ptr<const SparseRows> rows_;
};

}  // namespace gpsieve

#endif
