// The posterior of a latent function that every model returns, and the one way to predict from it:
// theory.md (1) to (5).
//
//   mean(x) = prior_mean + k_B(x)' weights
//   var(x)  = prior_scale k(x, x) - |D k_B(x)|^2 + |U k_B(x)|^2 + form - local
//
// D (down) and U (up) are triangular maps: they are kept as factors and applied by solves, so no
// inverse is ever formed. The form is for models that learn row by row and could not afford a
// factor each time: k_B' C k_B, or, with W K_BB W' = I and the covariance S of W f_B, v' S v - v'v
// where v = W k_B. The local variance is that of near and of inducing rows (local_variance.h).
#ifndef GPSIEVE_POSTERIOR_SPARSE_POSTERIOR_H
#define GPSIEVE_POSTERIOR_SPARSE_POSTERIOR_H

#include "base/context.h"
#include "base/types.h"
#include "kernel/kernel.h"
#include "linalg/packed_triangle.h"
#include "posterior/augmentation.h"
#include "posterior/local_variance.h"

namespace gpsieve {

// v = factor^-1 diag(scale) k with a lower triangular factor; empty: v = 0. An empty scale is 1.
// A map that only predicts may have the factor as a packed triangle instead.
struct TriangularMap {
  Matrix factor;
  Vector scale;
  PackedTriangle packed = {};

  bool empty() const { return factor.size() == 0 && packed.size == 0; }
  void apply(MatrixOut k) const;  // to every column, in place
  // out_j = |map of column j of k|^2; `work` receives the mapped columns.
  void squared_norms(MatrixIn k, MatrixOut work, VectorOut out) const;
};

struct SparsePosterior {
  Index length() const { return static_cast<Index>(basis.size()) + (intercept ? 1 : 0); }  // of k_B
  // Adds the form at every column of k to `out`.
  void add_form(MatrixIn k, VectorOut out) const;

  Indices basis;  // columns of the shared matrix of basis points
  Vector weights;
  TriangularMap down, up;
  Matrix form;       // C, or S if there is a W; symmetric; empty: none
  Matrix whitening;  // W; empty: none
  // Of a posterior in which every row is a basis point, in the place of `down`: make_factors().
  Vector dense_scale;
  double prior_scale = 1.0;
  double prior_mean = 0.0;
  bool intercept = false;     // a leading 1 in k_B, not among the basis points
  Augmentation augmentation;  // empty: none
  LocalVariance local;        // empty: none
};

// k_B at some points, from the block `k` of the shared basis and these points: the rows that the
// posterior uses, after the leading 1 of an intercept.
void basis_values(const SparsePosterior& posterior, MatrixIn k, MatrixOut out);

// Marginals of several latent functions at the columns of x: mean and variance are
// n x posteriors.size(). All posteriors index into one `basis`, whose kernel block is computed once
// per block of rows. Variances are skipped (and `variance` may be empty) unless wanted. A column
// with a NaN gives NaN; other columns are not affected.
void predict_marginals(const Kernel& kernel, Points basis,
                       const std::vector<SparsePosterior>& posteriors, Points x, bool want_variance,
                       MatrixOut mean, MatrixOut variance, const Context& ctx);

}  // namespace gpsieve

#endif
