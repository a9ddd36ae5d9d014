// A Gaussian over whitened inducing values, w ~ N(0, I) a priori: its natural parameters and what
// is computed from them.
#ifndef GPSIEVE_SPARSE_EP_WHITENED_POSTERIOR_H
#define GPSIEVE_SPARSE_EP_WHITENED_POSTERIOR_H

#include "base/types.h"

namespace gpsieve {

// A product of Gaussian factors of w: exp(-w'T w / 2 + b'w). Only T's lower triangle counts.
struct NaturalFactor {
  static NaturalFactor uniform(Index m) { return {Matrix::Zero(m, m), Vector::Zero(m)}; }

  // Multiplies by the sites exp(-precision_j (v_j'w)^2 / 2 + shift_j v_j'w) of the columns of v.
  void add_sites(MatrixIn v, VectorIn precision, VectorIn shift, int threads);
  // this^a times other^b.
  void combine(double a, double b, const NaturalFactor& other);
  // The same factor of f_u = L w for another L: T <- L2' L^-T T L^-1 L2, b <- L2' L^-T b.
  void change_coordinates(MatrixIn from_l, MatrixIn to_l, int threads);

  Matrix t;
  Vector b;
};

// q(w) = N(mean, Lambda^-1), Lambda = I + T = C C'. Every such precision is I + PSD for log-concave
// likelihoods, so that C cannot break down.
struct WhitenedPosterior {
  static WhitenedPosterior prior(Index m);
  // The prior times factor^exponent.
  static WhitenedPosterior from_natural(const NaturalFactor& factor, double exponent, int threads);

  // Marginals of v_j'w for the columns of v; `solved` = C^-1 v.
  void project(MatrixIn v, Matrix& solved, VectorOut mean, VectorOut variance) const;
  // Lambda^-1 as a full matrix, for gradients, which need it as a weight.
  Matrix covariance(int threads) const;

  Matrix factor;  // C
  Vector mean;
  double log_normaliser;  // g(T, b) = -log|C| + |C^-1 b|^2 / 2; 0 for the prior
};

}  // namespace gpsieve

#endif
