// Machines that keep every row with a site of its own: assumed density filtering without a basis to
// choose, and sweeps of expectation propagation (math: mean field and online, section 5).
#ifndef GPSIEVE_MODELS_ONLINE_EP_H
#define GPSIEVE_MODELS_ONLINE_EP_H

#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/online/online.h"

namespace gpsieve {

// The posterior N(mu, Sigma) of f at all rows, dense: 16 n^2 bytes, O(n^2) per visit.
class OnlineEp {
 public:
  // The first rows have the given sites; those beyond them have none yet.
  OnlineEp(const Kernel& kernel, const Likelihood& likelihood, Points points, double prior_mean,
           VectorIn site_precision, VectorIn site_shift);

  // Takes the row's site out, matches moments, puts the new site in. Returns how far the site
  // moved, in units of its marginal; log_z is that of the row given all others. `as_new`: leaves
  // the old site in, as if the row were another one.
  double visit(Index row, double y, bool as_new, double& log_z);

  // Computes the posterior from the sites afresh.
  void refresh();

  // u, C and the sites.
  void store(OnlineState& state) const;

  // EP's log Z at the sites, and the cavities that go with it, right after a refresh().
  double log_evidence(VectorIn y, Vector& cavity_mean, Vector& cavity_variance) const;

 private:
  const Likelihood& likelihood_;
  double prior_mean_;
  Matrix gram_, sigma_;
  Vector mu_, tau_, nu_;
  double half_log_det_ = 0.0;  // of I + K diag(tau)
};

}  // namespace gpsieve

#endif
