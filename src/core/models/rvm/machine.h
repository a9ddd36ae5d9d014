// What the schedules of training (batch EM, subspace EM, fast updates) ask of a model. Regression
// and classification answer.
#ifndef GPSIEVE_MODELS_RVM_MACHINE_H
#define GPSIEVE_MODELS_RVM_MACHINE_H

#include "models/fit_result.h"
#include "models/rvm/active.h"
#include "models/rvm/options.h"
#include "models/rvm/posterior.h"

namespace gpsieve {

// Of a function outside the model (math: relevance vectors, section 2): its sparsity
// s = phi' C^-1 phi and quality q = phi' C^-1 t. s = 0: numerically in the span of the others.
struct EntryFactors {
  double s = 0.0, q = 0.0;
};

// What entering with precision alpha adds to the log evidence.
double entry_gain(double alpha, const EntryFactors& f);
// The precision that adds most; infinite where staying outside is best.
double best_alpha(const EntryFactors& f);

class RvmMachine {
 public:
  RvmMachine(VectorIn y, const RvmOptions& options, const Context& ctx)
      : y_(y), options_(options), ctx_(ctx), active_(y.size()) {}
  virtual ~RvmMachine() = default;

  const RvmActive& active() const { return active_; }
  const RvmPosterior& posterior() const { return posterior_; }
  const Vector& mean() const { return mean_; }  // of the active weights
  double evidence() const { return evidence_; }

  // The factors of one function outside, given the last E-step.
  virtual EntryFactors look(VectorIn phi) const = 0;
  virtual void admit(VectorIn phi, Index candidate, double alpha) = 0;
  virtual void admit_all(const RvmCandidates& candidates, VectorIn alpha) = 0;
  // E-step: posterior and evidence for the present precisions and noise.
  virtual void expect() = 0;
  // The same while the model grows, good enough for the next function and one EM step.
  virtual void expect_roughly() { expect(); }
  // The last E-step, as accurate as can be.
  virtual void settle() { expect(); }
  // M-step for precisions (and noise), then pruning; true if a function left.
  bool maximise(bool growing);
  // Removes, or reorders: the positions that stay, in their new order.
  virtual void keep(const Indices& positions) = 0;

  // Of all candidates at once, as if each were outside: S = phi' C^-1 phi, Q = phi' C^-1 t.
  virtual void all_factors(const RvmCandidates& candidates, VectorOut s, VectorOut q) = 0;
  void set_alpha(Index position, double alpha);
  // The M-step for the noise alone, by MacKay's rule; the relative change of the noise.
  virtual double update_noise() { return 0.0; }

  // True if EM steps follow a refused function too.
  virtual bool steps_after_refusal() const = 0;
  // True if an exact E-step makes EM steps and gainful entries ascend.
  virtual bool ascends() const = 0;

  // d evidence / d P, N x M, with precisions and noise held.
  virtual Matrix design_gradient() const = 0;
  virtual double noise_gradient() const { return 0.0; }  // by the log noise
  virtual double noise() const = 0;
  virtual Vector row_precisions() const = 0;  // 1 / noise, or Omega
  virtual void describe(LatentFit&) const {}  // cavities, where there are some

 protected:
  virtual Vector updated_alpha() const;  // the M-step for the precisions
  virtual void update_noise_with(RvmUpdate) {}
  // Where nothing bounds a weight (separable classes) its precision would go to zero.
  virtual double smallest_alpha() const { return 0.0; }

  const Vector y_;
  const RvmOptions& options_;
  const Context& ctx_;
  RvmActive active_;
  RvmPosterior posterior_;
  Vector mean_;
  double evidence_ = 0.0;
};

}  // namespace gpsieve

#endif
