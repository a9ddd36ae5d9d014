// One latent function that learns row by row: assumed density filtering on a chosen basis, with
// deletion of basis points beyond a budget (theory.md#absorbing-a-row, theory.md#deletion).
#ifndef GPSIEVE_MODELS_ONLINE_MACHINE_H
#define GPSIEVE_MODELS_ONLINE_MACHINE_H

#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/online/growing_symmetric.h"
#include "models/online/online.h"

namespace gpsieve {

// O(m^2) time per row with m basis points. The kernel values of a row are computed from the basis
// points and that row alone, so that results do not depend on how a stream was split between calls.
class OnlineMachine {
 public:
  // Keeps references to all but the state; `x` holds basis points and rows alike.
  OnlineMachine(const Kernel& kernel, const Likelihood& likelihood, Points x, double prior_mean,
                const OnlineOptions& options, OnlineState start);

  // One step of assumed density filtering. `offset` is added to the row's prior mean; `noise` is
  // the variance of its noise beyond the likelihood's own. `again` says that the row was absorbed
  // before: it may be a basis point, and its log Z is not added to the evidence.
  void absorb(Index row, double y, double offset, double noise, bool again = false);

  Index size() const { return static_cast<Index>(basis_.size()); }
  double log_evidence() const { return log_evidence_; }
  OnlineState state();

 private:
  struct Marginal {         // of f at a row
    double prior_variance;  // k(x, x)
    double novelty;         // gamma of theory.md (5)
    double mean, variance;  // theory.md (2), without the prior mean
  };
  // Leaves v = W k_B(x) and z = S v of the row in v_ and z_.
  Marginal marginal(Index row, bool again);
  void include(Index row, const Marginal& f, const Tilted& tilted);
  void project(const Marginal& f, const Tilted& tilted);
  void forget();
  void compute_information();
  void delete_one();
  Index least_informative() const;
  void refresh();
  auto whitening() const { return whitening_.topLeftCorner(size(), size()); }
  Vector unwhiten(VectorIn v) const;  // W'v
  // Forgetting changes all of P at every row, which is then computed where it is needed.
  bool tracks_information() const { return options_.bounded() && !options_.forgets(); }

  const Kernel& kernel_;
  const Likelihood& likelihood_;
  Eigen::Ref<const Matrix> x_;
  double prior_mean_;
  const OnlineOptions& options_;

  Indices basis_;
  Matrix points_;  // the basis points in its first columns
  Vector mean_;
  Matrix whitening_;  // W in its top left corner
  GrowingSymmetric covariance_, precision_;
  Vector weight_variance_, stiffness_;
  double log_evidence_;
  Index since_refresh_;

  Vector k_, v_, z_;  // k_B(x), v and z of the current row, in their first elements
};

// Throws InvalidSpec unless all parts of the state have the right sizes and are finite: a state may
// come from a file that was changed. `points` is the number of points that the basis may refer to.
void require_valid(const OnlineState& state, const OnlineOptions& options, Index points);

}  // namespace gpsieve

#endif
