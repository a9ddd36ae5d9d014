// A machine that keeps every row with a site of its own: assumed density filtering without a choice
// of basis points, and sweeps of expectation propagation (theory.md#every-row-kept).
#ifndef GPSIEVE_MODELS_ONLINE_EP_H
#define GPSIEVE_MODELS_ONLINE_EP_H

#include "base/context.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/online/online.h"

namespace gpsieve {

// The posterior N(mu, Sigma) of f at all rows, dense: 16 n^2 bytes, O(n^2) per visit.
class OnlineEp {
 public:
  // The first rows have the given sites. The rows after them have no site yet. `prior_mean` has one
  // number for each row, and so has `noise`: the variance of the noise beyond the likelihood's own.
  // `poll` is called while the matrices are made.
  OnlineEp(const Kernel& kernel, const Likelihood& likelihood, Points points, Vector prior_mean,
           Vector noise, VectorIn site_precision, VectorIn site_shift, const Poll& poll = {});

  // Replaces the row's site by the one that matches the moments of the tilted distribution. Returns
  // the change of the site in units of the row's marginal; log_z is that of the row given all
  // others. With `as_new` the old site stays and the new one is added to it, as if the row were
  // another one.
  double visit(Index row, Observed y, bool as_new, double& log_z);

  // Computes the posterior again from the sites, theory.md (18).
  void refresh();

  // Sets u and C of theory.md (19), and the sites.
  void store(OnlineState& state) const;

  // theory.md (20) at the sites, and the cavities in it. The posterior must be that of a refresh().
  double log_evidence(MatrixIn y, Vector& cavity_mean, Vector& cavity_variance) const;

 private:
  const Likelihood& likelihood_;
  Vector prior_mean_, noise_;
  Matrix gram_, sigma_;
  Vector mu_, tau_, nu_;
  double half_log_det_ = 0.0;  // of I + K diag(tau)
};

}  // namespace gpsieve

#endif
