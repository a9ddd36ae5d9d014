// One latent function that learns row by row (math: mean field and online, sections 5 and 6), in
// the parameters of OnlineState.
#ifndef GPSIEVE_MODELS_ONLINE_MACHINE_H
#define GPSIEVE_MODELS_ONLINE_MACHINE_H

#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/online/growing_symmetric.h"
#include "models/online/online.h"

namespace gpsieve {

// O(B^2) time per row for B basis points. Kernel values are computed from the basis at hand and the
// row alone, so that no bit depends on which other rows came in the same call.
class OnlineMachine {
 public:
  // Keeps references to all but the state; `x` holds basis points and rows alike.
  OnlineMachine(const Kernel& kernel, const Likelihood& likelihood, Points x, double prior_mean,
                const OnlineOptions& options, OnlineState start);

  // One step of assumed density filtering. `again`: the row was absorbed before, so that it may be
  // among the basis points, and says nothing new about the evidence.
  void absorb(Index row, double y, bool again = false);

  Index size() const { return static_cast<Index>(basis_.size()); }
  double log_evidence() const { return log_evidence_; }
  OnlineState state() const;

 private:
  // What posterior and basis say about a row; v = W k_B(x) and z = S v are left in v_ and z_.
  struct View {
    double kappa;           // k(x, x)
    double novelty;         // gamma, the prior variance that the basis does not explain
    double mean, variance;  // of f(x), prior mean left out
  };
  View look(Index row, bool again);
  void include(Index row, const View& view, const Tilted& tilted);
  void project(const View& view, const Tilted& tilted);
  void remove_least();
  Index least_informative() const;
  void refresh();
  auto whitening() const { return whitening_.topLeftCorner(size(), size()); }
  Vector back(VectorIn v) const;  // W' v

  const Kernel& kernel_;
  const Likelihood& likelihood_;
  Eigen::Ref<const Matrix> x_;
  double prior_mean_;
  const OnlineOptions& options_;

  Indices basis_;
  Matrix points_;  // the basis points, side by side, with room to grow
  Vector mean_;
  Matrix whitening_;  // with room to grow, as the points
  GrowingSymmetric covariance_, precision_;
  Vector leverage_, stiffness_;
  double log_evidence_;
  Index since_refresh_;

  Vector k_, v_, z_;  // of the row being looked at; scratch with room to grow
};

// Throws InvalidSpec unless the state is whole: it may come from a file, so that nothing in it is
// taken on trust. `points` is how many points there are to refer to.
void require_whole(const OnlineState& state, const OnlineOptions& options, Index points);

}  // namespace gpsieve

#endif
