// The sparse Bayesian linear model of one latent function, as the training algorithms (batch EM,
// subspace EM, fast updates) see it. RvmRegression and RvmClassification implement it.
#ifndef GPSIEVE_MODELS_RVM_MODEL_H
#define GPSIEVE_MODELS_RVM_MODEL_H

#include "models/fit_result.h"
#include "models/rvm/active_set.h"
#include "models/rvm/options.h"
#include "models/rvm/posterior.h"

namespace gpsieve {

// Sparsity s_j and quality q_j of a function that is not in the model, theory.md (13). They
// determine how the log evidence depends on the precision of the function. s = 0 if the function
// is numerically a linear combination of the active ones.
struct SparsityQuality {
  double s = 0.0, q = 0.0;
};

// Change of the log evidence if the function is added with precision alpha, theory.md (14).
double evidence_gain(double alpha, const SparsityQuality& factors);
// The precision of largest gain among those of at least `smallest`, theory.md (15); infinite if no
// finite precision has a gain.
double optimal_alpha(const SparsityQuality& factors, double smallest);

class RvmModel {
 public:
  RvmModel(VectorIn y, const RvmOptions& options, const Context& ctx)
      : y_(y), options_(options), ctx_(ctx), active_(y.size()) {}
  virtual ~RvmModel() = default;

  const RvmActiveSet& active() const { return active_; }
  const RvmPosterior& posterior() const { return posterior_; }
  const Vector& mean() const { return mean_; }  // mu, the posterior mean of the active weights
  double evidence() const { return evidence_; }

  // E-step: posterior and evidence at the present precisions and noise variance.
  virtual void e_step() = 0;
  // An E-step of the sweep of subspace EM. Where the E-step iterates, its tolerance is looser: the
  // next function changes the posterior anyway.
  virtual void approximate_e_step() { e_step(); }
  // The one after a function has entered, whose precision changes next.
  virtual void entry_e_step() { approximate_e_step(); }
  // The E-step after training. Where the E-step iterates, it does so to the tightest tolerance.
  virtual void final_e_step() { e_step(); }
  // M-step of the precisions, and of the noise variance if wanted. Functions whose precision
  // exceeds the limit are then pruned; true if there were any.
  bool m_step(bool update_noise);

  virtual void add_function(VectorIn phi, Index candidate, double alpha) = 0;
  virtual void add_all_functions(const RvmDesignMatrix& design, VectorIn alpha) = 0;
  // Keeps the active functions at these positions, in this order, and removes all others.
  virtual void keep_functions(const Indices& positions) = 0;
  void set_alpha(Index position, double alpha);
  // Lower bound of the precisions. The precision of a weight that the data do not bound (separable
  // classes) would converge to zero.
  virtual double smallest_alpha() const { return options_.alpha_min; }
  // MacKay's M-step of the noise variance alone; returns the absolute change of its logarithm.
  virtual double mackay_noise_update() { return 0.0; }

  // Sparsity and quality of a function outside the model, from the last E-step.
  virtual SparsityQuality sparsity_quality(VectorIn phi) const = 0;
  // The factors S and Q of all candidates, theory.md (17). They equal s and q for the candidates
  // outside the model.
  virtual void all_sparsity_quality(const RvmDesignMatrix& design, VectorOut s, VectorOut q) = 0;

  // True if the sweep of subspace EM takes an EM step after a rejected function as well.
  virtual bool em_step_after_rejection() const = 0;
  // True if no EM step and no entry by a positive gain lowers the evidence.
  virtual bool monotone() const = 0;

  // d evidence / d P (N x M) at fixed precisions and noise, theory.md#gradient-of-the-evidence.
  virtual Matrix design_gradient() const = 0;
  virtual double noise_gradient() const { return 0.0; }  // d evidence / d log noise
  virtual double noise() const = 0;
  virtual Vector row_precisions() const = 0;  // 1 / noise in regression, omega in classification
  // Writes cavity means and variances to the fit, if the inference has cavities.
  virtual void write_cavities(LatentFit&) const {}

 protected:
  virtual Vector updated_alpha() const;  // M-step of the precisions
  virtual void update_noise(RvmUpdate) {}
  const Vector y_;
  const RvmOptions& options_;
  const Context& ctx_;
  RvmActiveSet active_;
  RvmPosterior posterior_;
  Vector mean_;
  double evidence_ = 0.0;
};

}  // namespace gpsieve

#endif
