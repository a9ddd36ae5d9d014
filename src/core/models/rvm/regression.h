// The machine for numbers with Gaussian noise: t = P w + e, e ~ N(0, noise I), inference exact.
#ifndef GPSIEVE_MODELS_RVM_REGRESSION_H
#define GPSIEVE_MODELS_RVM_REGRESSION_H

#include "models/rvm/machine.h"
#include "models/rvm/span.h"

namespace gpsieve {

class RvmRegression final : public RvmMachine {
 public:
  RvmRegression(VectorIn t, const RvmOptions& options, const Context& ctx);

  EntryFactors look(VectorIn phi) const override;
  void admit(VectorIn phi, Index candidate, double alpha) override;
  void admit_all(const RvmCandidates& candidates, VectorIn alpha) override;
  void expect() override;
  void keep(const Indices& positions) override;
  void all_factors(const RvmCandidates& candidates, VectorOut s, VectorOut q) override;
  double update_noise() override;
  bool steps_after_refusal() const override { return true; }
  bool ascends() const override { return options_.update == RvmUpdate::em; }
  Matrix design_gradient() const override;
  double noise_gradient() const override;
  double noise() const override { return noise_; }
  Vector row_precisions() const override { return Vector::Constant(y_.size(), 1.0 / noise_); }

 protected:
  void update_noise_with(RvmUpdate rule) override;

 private:
  void append_to_gram(VectorIn phi);
  void expect_by_qr();
  void refresh_products(const RvmCandidates& candidates);

  double noise_, smallest_noise_;
  Matrix gram_;        // P'P, full; storage grows by doubling
  Vector projection_;  // P't
  Vector residual_;    // t - P mean
  RvmSpan span_;       // of P; only since a Cholesky factor first failed
  // Of the fast updates: Phi'P, its candidates, Phi't and |phi|^2.
  Matrix products_;
  Indices product_index_;
  Vector candidate_projection_, candidate_norms_;
};

}  // namespace gpsieve

#endif
