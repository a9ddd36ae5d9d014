// The machine for two classes: probit likelihood, mean-field inference (TAP, which is EP; Laplace;
// naive), found by Newton's method on a concave objective for given cavity variances.
#ifndef GPSIEVE_MODELS_RVM_CLASSIFICATION_H
#define GPSIEVE_MODELS_RVM_CLASSIFICATION_H

#include "models/rvm/machine.h"
#include "models/rvm/sites.h"

namespace gpsieve {

class RvmClassification final : public RvmMachine {
 public:
  RvmClassification(VectorIn y, double noise, double offset, const RvmOptions& options,
                    const Context& ctx);

  EntryFactors look(VectorIn phi) const override;
  void admit(VectorIn phi, Index candidate, double alpha) override;
  void admit_all(const RvmCandidates& candidates, VectorIn alpha) override;
  void expect() override;
  void expect_roughly() override;
  void settle() override;
  void keep(const Indices& positions) override;
  void all_factors(const RvmCandidates& candidates, VectorOut s, VectorOut q) override;
  bool steps_after_refusal() const override { return false; }
  bool ascends() const override { return false; }
  Matrix design_gradient() const override;
  double noise() const override { return noise_; }
  Vector row_precisions() const override { return sites_.omega(); }
  void describe(LatentFit& fit) const override;

 protected:
  Vector updated_alpha() const override;
  double smallest_alpha() const override;

 private:
  void expect_within(double tolerance, double least_decrement);
  void start();
  double decrement_for(double share) const;
  double solve_sites(VectorIn mean, VectorIn outputs);
  void append_information(VectorIn phi);
  void weigh();
  void look_ahead();
  void aim();
  bool climb();
  bool walk(double tolerance);
  bool near_mode() const;
  void newton(double tolerance);
  Vector weight_variances() const;  // S_i = p_i' Sigma p_i
  Vector cavity_variances() const;
  void set_evidence();

  double noise_, offset_;
  RvmSites sites_;
  Vector variances_, prior_variances_;  // V and its bound diag(P A^-1 P')
  Vector outputs_;                      // offset + P mean
  double objective_ = 0.0;              // Psi
  Vector direction_;                    // of Newton's step
  double decrement_ = 0.0;
  Matrix information_;  // P' Omega P of the last look, lower triangle; of other size: none
  Matrix weighted_;     // scratch: a block of rows
};

}  // namespace gpsieve

#endif
