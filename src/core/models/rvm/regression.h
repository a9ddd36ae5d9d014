// Regression with Gaussian noise, t = P w + e, e ~ N(0, s2 I): the posterior of the weights is
// exact (theory.md#regression).
#ifndef GPSIEVE_MODELS_RVM_REGRESSION_H
#define GPSIEVE_MODELS_RVM_REGRESSION_H

#include "likelihood/case_terms.h"
#include "models/rvm/column_space.h"
#include "models/rvm/model.h"

namespace gpsieve {

class RvmRegression final : public RvmModel {
 public:
  // With case weights w, t and the rows of P are multiplied by sqrt(w) (theory.md#case-weights).
  RvmRegression(VectorIn t, const RvmOptions& options, const Context& ctx,
                const CaseTerms& cases = {});

  void e_step() override;
  void add_function(VectorIn phi, Index candidate, double alpha) override;
  void add_all_functions(const RvmDesignMatrix& design, VectorIn alpha) override;
  void keep_functions(const Indices& positions) override;
  double mackay_noise_update() override;
  SparsityQuality sparsity_quality(VectorIn phi) const override;
  void all_sparsity_quality(const RvmDesignMatrix& design, VectorOut s, VectorOut q) override;
  bool em_step_after_rejection() const override { return true; }
  bool monotone() const override { return options_.update == RvmUpdate::em; }
  Matrix design_gradient() const override;
  double noise_gradient() const override;
  double noise() const override { return noise_; }
  Vector row_precisions() const override { return cases_.weights(y_.size()) / noise_; }

 protected:
  void update_noise(RvmUpdate rule) override;

 private:
  void append_to_gram(VectorIn phi);
  void factorise_by_qr();
  void update_cross_products(const RvmDesignMatrix& design);

  CaseTerms cases_;
  double rows_;                    // N, the sum of the case weights
  double noise_, smallest_noise_;  // s2 and its lower bound
  Matrix gram_;                    // P'P, both triangles, with spare rows and columns
  Vector projection_;              // P't
  Vector residual_;                // t - P mean
  RvmColumnSpace column_space_;    // of P; empty until a Cholesky factorisation of B has failed
  // Used by the fast updates only.
  Matrix cross_products_;        // Phi'P
  Indices cross_product_index_;  // the candidates that its columns belong to
  Vector candidate_projection_;  // Phi't
  Vector candidate_norms_;       // |phi_j|^2
};

}  // namespace gpsieve

#endif
