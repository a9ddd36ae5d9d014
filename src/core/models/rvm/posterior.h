// The posterior of the active weights in scaled form: with D = A^-1/2 and the information X of the
// data (P'P / noise, or P' Omega P),
//   B = I + D X D = L L',   Sigma = D B^-1 D.
// Every eigenvalue of B is at least 1 (math: relevance vectors, section 1).
#ifndef GPSIEVE_MODELS_RVM_POSTERIOR_H
#define GPSIEVE_MODELS_RVM_POSTERIOR_H

#include "base/types.h"

namespace gpsieve {

class RvmPosterior {
 public:
  // Reads the lower triangle of the information. False if the factor broke down, or if B is so
  // badly conditioned that the digits of its small eigenvalues are lost.
  bool factor(MatrixIn information, VectorIn alpha, int threads);
  // The same from the square root of the information: P rows weighted by sqrt(weight), by a QR
  // factorisation of [P D sqrt(weight); I], whose condition number is the square root of B's.
  void factor_by_qr(MatrixIn p, double weight, VectorIn alpha, int threads);

  Index size() const { return scale_.size(); }
  const Matrix& root() const { return root_; }            // L
  const Vector& scale() const { return scale_; }          // diagonal of D
  double half_log_det() const { return half_log_det_; }   // of B
  const Vector& variances() const { return variances_; }  // diagonal of Sigma
  const Vector& gamma() const { return gamma_; }          // 1 - alpha_j Sigma_jj
  Vector solve(VectorIn v) const;                         // Sigma v
  // Sigma v = D L^-T (L^-1 D v); the inner part, for many columns, in place.
  void half_solve(MatrixOut v, int threads) const;
  // Sigma P'(weight t) by the factorisation's own Q, after factor_by_qr() with that weight.
  Vector solve_by_qr(VectorIn t) const;

 private:
  void finish(int threads);

  Matrix root_, orthogonal_;
  Vector scale_, variances_, gamma_;
  double half_log_det_ = 0.0, weight_root_ = 0.0;
};

}  // namespace gpsieve

#endif
