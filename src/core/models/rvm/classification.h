// Classification with a probit likelihood: mean-field inference (TAP, Laplace or naive), which
// maximises a concave objective over the weights at given cavity variances
// (theory.md#classification).
#ifndef GPSIEVE_MODELS_RVM_CLASSIFICATION_H
#define GPSIEVE_MODELS_RVM_CLASSIFICATION_H

#include "likelihood/case_terms.h"
#include "models/rvm/model.h"
#include "models/rvm/sites.h"

namespace gpsieve {

class RvmClassification final : public RvmModel {
 public:
  // y is -1 or +1, noise the input noise of the probit likelihood.
  RvmClassification(VectorIn y, double noise, double prior_mean, const RvmOptions& options,
                    const Context& ctx, const CaseTerms& cases = {});

  void e_step() override;
  void entry_e_step() override;
  void approximate_e_step() override;
  void final_e_step() override;
  void add_function(VectorIn phi, Index candidate, double alpha) override;
  void add_all_functions(const RvmDesignMatrix& design, VectorIn alpha) override;
  void keep_functions(const Indices& positions) override;
  SparsityQuality sparsity_quality(VectorIn phi) const override;
  void all_sparsity_quality(const RvmDesignMatrix& design, VectorOut s, VectorOut q) override;
  bool em_step_after_rejection() const override { return false; }
  bool monotone() const override { return false; }
  Matrix design_gradient() const override;
  double noise() const override { return noise_; }
  Vector row_precisions() const override { return sites_.precision(); }
  void write_cavities(LatentFit& fit) const override;

 protected:
  Vector updated_alpha() const override;
  double smallest_alpha() const override;

 private:
  void append_to_information(VectorIn phi);

  // Where an E-step ends. `variance` bounds the change of the logarithms of the cavity variances,
  // `decrement` that of Newton's method; `move` is the largest sum of decrements since the
  // factorisation that it ends with, 0 for a factorisation at its final sites.
  struct EStepLimits {
    double variance, decrement;
    int variance_rounds;
    double move;
  };

  // E-step, theory.md#e-step-for-classification.
  void e_step_within(const EStepLimits& limits);
  void sweep_e_step(int variance_rounds);
  double batch_decrement_tolerance() const;
  void initialise_e_step();
  Vector updated_cavity_variances() const;
  Vector latent_variances() const;
  void update_evidence();

  // Newton's method for the weights, theory.md#newtons-method-for-the-weights.
  void newton(double tolerance, double move);
  bool simplified_newton(double tolerance);
  bool line_search();
  double objective_at(VectorIn mean, VectorIn latent);
  void update_information();
  void update_posterior();
  void update_newton_step();
  bool decrement_is_rounding() const;

  // Upper bounds of the cavity variances.
  Vector largest_cavity_variances() const;

  double noise_;
  Vector prior_means_;  // of every row
  RvmSites sites_;
  Vector cavity_variances_, prior_variances_;  // V and diag(P A^-1 P')
  Vector latent_;                              // f = prior mean + P mu
  double objective_ = 0.0;                     // Psi
  Vector newton_step_;
  double decrement_ = 0.0;  // Newton's decrement: the gradient of Psi times the Newton step
  double moved_ = 0.0;      // sum of the decrements of the steps since the last factorisation
  // P' Omega P at the last factorisation, lower triangle. A size other than M says that it is
  // unknown.
  Matrix information_;
  Matrix weighted_rows_;  // workspace: a block of rows of Omega^1/2 P
};

}  // namespace gpsieve

#endif
