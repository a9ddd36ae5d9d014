// The covariance of the responses under the partially independent conditional: theory.md (1) to
// (4).
//
//   M = W'W + B,   W = L_u^-1 K_un,   L_u L_u' = K_uu,   B = blockdiag_l(K_ll - W_l'W_l + D_l)
//
// M is K + D within each leaf and of rank m between leaves. It is the preconditioner of conjugate
// gradients with K + D, and the model from which variances are computed.
#ifndef GPSIEVE_EXACT_PIC_PRECONDITIONER_H
#define GPSIEVE_EXACT_PIC_PRECONDITIONER_H

#include <vector>

#include "base/context.h"
#include "kernel/bound_kernel.h"
#include "posterior/local_variance.h"

namespace gpsieve {

class PicPreconditioner {
 public:
  // `inducing` are rows of the data, of which those are left out whose covariance with other rows
  // is zero; every row is in one of the `leaves`. `noise` is the diagonal of D.
  PicPreconditioner(const BoundKernel& kernel, VectorIn noise, const Indices& inducing,
                    std::vector<Indices> leaves, const Context& ctx);

  Index size() const { return size_; }
  // r = M^-1 r
  void solve(MatrixOut r, int threads) const;
  double log_determinant() const;
  // The diagonal of M^-1.
  Vector inverse_diagonal(const Context& ctx) const;
  // draws (n x columns) from N(0, M), from standard normal numbers (m + n) x columns.
  Matrix draws(MatrixIn normal) const;
  Index inducing_size() const { return variance_.inducing_size(); }
  // What was added to the diagonals of K_uu and of the B_l.
  double jitter() const { return jitter_; }
  double leaf_jitter() const { return leaf_jitter_; }

  // The variance of predictions, without its tree. Leaves nothing here.
  LocalVariance take_variance() { return std::move(variance_); }

 private:
  void factor_inducing(const BoundKernel& kernel, const Indices& inducing, int threads);
  void factor_leaf(const BoundKernel& kernel, VectorIn diagonal, LeafFactors& leaf, int threads);

  Index size_;
  LocalVariance variance_;
  double jitter_ = 0.0, leaf_jitter_ = 0.0;
};

}  // namespace gpsieve

#endif
