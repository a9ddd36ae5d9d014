// The Gaussian posterior of the active weights in scaled form (theory.md#posterior-of-the-weights):
// with D = diag(alpha)^-1/2 and the information X of the data (P'P / noise in regression, P' Omega
// P in classification),
//   B = I + D X D = L L',   Sigma = D B^-1 D.
#ifndef GPSIEVE_MODELS_RVM_POSTERIOR_H
#define GPSIEVE_MODELS_RVM_POSTERIOR_H

#include "base/types.h"

namespace gpsieve {

class RvmPosterior {
 public:
  // Cholesky factor of B; reads the lower triangle of the information. False if the factorisation
  // failed, or if the condition number of B is too large for it to be accurate.
  bool factorise(MatrixIn information, VectorIn alpha, int threads);
  // The factor of B from a QR factorisation of [sqrt(weight) P D; I], whose condition number is the
  // square root of that of B; the information is weight P'P.
  void factorise_by_qr(MatrixIn p, double weight, VectorIn alpha, int threads);

  Index size() const { return prior_sd_.size(); }         // M
  const Matrix& factor() const { return factor_; }        // L
  const Vector& prior_sd() const { return prior_sd_; }    // diagonal of D
  double half_log_det() const { return half_log_det_; }   // log |B| / 2
  const Vector& variances() const { return variances_; }  // diagonal of Sigma
  const Vector& gamma() const { return gamma_; }          // 1 - alpha_j Sigma_jj
  Vector covariance_times(VectorIn v) const;              // Sigma v
  // V <- Sigma V, and V <- L^-1 D V, the half whose squared column norms are v' Sigma v.
  void multiply_by_covariance(MatrixOut v, int threads) const;
  void whiten(MatrixOut v, int threads) const;
  // The posterior mean Sigma P' (weight t), after factorise_by_qr() with this p and weight.
  Vector mean_by_qr(VectorIn t) const;

 private:
  void update_marginals(int threads);

  Matrix factor_, orthogonal_;  // L; the rows of Q that belong to P
  Vector prior_sd_, variances_, gamma_;
  double half_log_det_ = 0.0, weight_root_ = 0.0;
};

}  // namespace gpsieve

#endif
