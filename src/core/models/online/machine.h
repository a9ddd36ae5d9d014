// One latent function that learns row by row: assumed density filtering on a chosen basis, with
// deletion of basis points beyond a budget (theory.md#absorbing-a-row, theory.md#deletion).
#ifndef GPSIEVE_MODELS_ONLINE_MACHINE_H
#define GPSIEVE_MODELS_ONLINE_MACHINE_H

#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/online/growing_symmetric.h"
#include "models/online/online.h"
#include "models/online/row_block.h"

namespace gpsieve {

// A row of the data and its response. `offset` is added to the row's prior mean; `noise` is the
// variance of its noise beyond the likelihood's own. `again` says that the row was absorbed before:
// it may be a basis point, and its log Z is not added to the evidence.
struct RowVisit {
  Index row;
  Observed y;
  double offset, noise;
  bool again;
};

// O(m^2) time per row with m basis points. The numbers of a row are computed from the basis points,
// the rows of its block and that row alone, so that results do not depend on how a stream was split
// between calls.
class OnlineMachine {
 public:
  // Keeps references to all but the state; `x` holds basis points and rows alike.
  OnlineMachine(const Kernel& kernel, const Likelihood& likelihood, Points x, double prior_mean,
                const OnlineOptions& options, OnlineState start);

  // How many rows are worth announcing to look_ahead().
  Index rows_ahead() const { return in_blocks() ? block_.room() : 1; }
  // Computes together what the next visits, which must follow in this order, need from S and W.
  void look_ahead(const std::vector<RowVisit>& visits);
  // One step of assumed density filtering.
  void absorb(const RowVisit& visit);

  Index size() const { return static_cast<Index>(basis_.size()); }
  double log_evidence() const { return log_evidence_; }
  OnlineState state();

 private:
  struct Marginal {         // of f at a row
    double prior_variance;  // k(x, x)
    double novelty;         // gamma of theory.md (5)
    double mean, variance;  // theory.md (2), without the prior mean
  };
  // Rows are absorbed in blocks until the budget is reached: theory.md#blocks-of-rows.
  bool in_blocks() const {
    return triangular_ && !options_.forgets() && !(options_.bounded() && size() >= options_.budget);
  }
  // Leaves v = W k_B(x) and z = S v of the row in v_ and z_.
  Marginal marginal(const RowVisit& visit);
  void vectors_by_row(const RowVisit& visit, double variance);
  void vectors_in_block(const RowVisit& visit, double variance);
  // Where the row of a repeated visit stands in the basis; size() if it is not there.
  Index held(const RowVisit& visit) const;
  void include(Index row, const Marginal& f, const Tilted& tilted);
  void track_inclusion(const Marginal& f, const Tilted& tilted);
  void project(const Marginal& f, const Tilted& tilted);
  void make_room();
  void add_whitening_row(VectorIn e, double root);
  void complete_whitening();
  void close_block();
  void forget();
  void compute_information();
  void delete_one();
  Index least_informative() const;
  void refresh();
  void whiten_anew();
  void compute_diagonals();
  auto whitening() const { return whitening_.topLeftCorner(size(), size()); }
  // S_0 and W_0 of a block have as many rows.
  Index start() const { return covariance_.size(); }
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
  Index whitened_;    // rows that W has already: new basis points of a block wait for theirs
  bool triangular_;   // W is lower triangular
  GrowingSymmetric covariance_, precision_;
  RowBlock block_;
  Matrix ahead_v_, ahead_z_;  // W_0 k and S_0 v of the rows that were announced
  Index ahead_ = 0;           // of which so many were used
  Vector weight_variance_, stiffness_;
  double log_evidence_;
  Index since_refresh_, refreshed_;

  Vector k_, v_, z_;  // k_B(x), v and z of the current row, in their first elements
};

}  // namespace gpsieve

#endif
