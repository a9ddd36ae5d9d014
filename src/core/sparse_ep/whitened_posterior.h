// Gaussian approximation of the posterior over whitened inducing values w, whose prior is N(0, I)
// (theory.md#approximate-posterior).
#ifndef GPSIEVE_SPARSE_EP_WHITENED_POSTERIOR_H
#define GPSIEVE_SPARSE_EP_WHITENED_POSTERIOR_H

#include "base/archive.h"
#include "base/types.h"

namespace gpsieve {

// Natural parameters of a product of Gaussian sites, exp(-w'T w / 2 + r'w): theory.md (3). Only the
// lower triangle of T is used.
struct NaturalFactor {
  static NaturalFactor uniform(Index m) { return {Matrix::Zero(m, m), Vector::Zero(m)}; }

  // Multiplies by the sites of the projections v_j'w: theory.md (4).
  void add_sites(MatrixIn v, VectorIn precision, VectorIn shift, int threads);
  // The a-th power of this factor times the b-th power of another; returns the largest change of a
  // number.
  double combine(double a, double b, const NaturalFactor& other);
  double largest() const;  // of the absolute values
  // Keeps the function of f_u = L w when L changes: theory.md (14).
  void change_coordinates(MatrixIn from_l, MatrixIn to_l, int threads);

  void visit(Archive& archive) {
    archive.visit_lower(t);
    archive.visit(r);
  }

  Matrix t;  // T
  Vector r;
};

// q(w) = N(mean, Psi), Psi^-1 = I + T = C C': theory.md (5). For log-concave likelihoods T is
// positive semi-definite, so that C exists.
struct WhitenedPosterior {
  static WhitenedPosterior prior(Index m);
  // The prior times the factor to the power of `exponent`, normalised.
  static WhitenedPosterior from_natural(const NaturalFactor& factor, double exponent, int threads);

  // Marginals of the projections v_j'w for the columns of v, theory.md (7); `solved` receives C^-1
  // v.
  void project(MatrixIn v, Matrix& solved, VectorOut mean, VectorOut variance,
               int threads = 1) const;
  // Psi as a full matrix, which the gradient uses as a weight.
  Matrix covariance(int threads) const;

  Matrix factor;  // C
  Vector mean;
  double log_normaliser;  // g(T, r): theory.md (6)
};

}  // namespace gpsieve

#endif
