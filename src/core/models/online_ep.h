// Further sweeps of the unbounded machine as expectation propagation proper: every row keeps a
// site, which is taken out before the row is looked at again.
#ifndef GPSIEVE_MODELS_ONLINE_EP_H
#define GPSIEVE_MODELS_ONLINE_EP_H

#include <functional>

#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/online.h"

namespace gpsieve {

// The posterior of a state whose basis points are rows with sites, which it refers to.
class OnlineEp {
 public:
  // `points` and `y`: the basis points and their responses, in the state's order.
  OnlineEp(const Kernel& kernel, const Likelihood& likelihood, Points points, Vector y,
           double prior_mean, OnlineState& state);

  // Visits every site in order and then computes the posterior afresh. Returns how far a site
  // moved at most, in units of its marginal. poll() is called after each row.
  double sweep(const std::function<void()>& poll);

  // EP's log Z at the sites of the last sweep, and the cavities that go with it.
  double log_evidence(Vector& cavity_mean, Vector& cavity_variance) const;

 private:
  double revisit(Index i);
  void refresh();

  const Likelihood& likelihood_;
  Matrix gram_;
  Vector y_;
  double prior_mean_;
  OnlineState& state_;
  double half_log_det_ = 0.0;  // of I + K diag(site precision)
};

}  // namespace gpsieve

#endif
