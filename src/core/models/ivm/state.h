// The active set I and its posterior (theory.md#model-and-state).
//
//   L   lower Cholesky factor of I + S K_II S,   S = diag(sqrt(site precision))
//   M   L^-1 S K_I., one column per candidate; a search keeps the columns of its candidates
//   a   variance of f at a candidate, a_j = k_jj - |M_j|^2;   h   its mean, h_j = M_j' gain
#ifndef GPSIEVE_MODELS_IVM_STATE_H
#define GPSIEVE_MODELS_IVM_STATE_H

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "kernel/bound_kernel.h"
#include "likelihood/case_terms.h"
#include "likelihood/likelihood.h"
#include "linalg/cholesky.h"
#include "models/ivm/ivm.h"
#include "sparse_ep/site.h"

namespace gpsieve {

// The numbers of an inclusion from which every other candidate updates its column of M, variance
// and mean: theory.md (7) to (9).
struct Inclusion {
  Index row;
  double ratio;  // s / l
  double gain;   // c of the row
};

class IvmState {
 public:
  IvmState(const BoundKernel& kernel, const Likelihood& likelihood, MatrixIn y, double prior_mean,
           const IvmOptions& options, const CaseTerms& cases = {});

  Index size() const { return static_cast<Index>(active_.size()); }
  bool complete() const { return size() >= options_.n_active; }
  const Indices& active() const { return active_; }
  bool included(Index row) const { return included_[row]; }
  const IvmOptions& options() const { return options_; }
  const BoundKernel& kernel() const { return kernel_; }
  auto factor() const { return factor_.factor(); }
  auto root_precision() const { return root_precision_.head(size()); }
  auto gain() const { return gain_.head(size()); }
  double log_evidence() const { return log_evidence_; }
  // The reduction of the entropy of the row included last, in nats: theory.md (10).
  double last_information() const { return last_information_; }

  // k(x, x) of every row; NumericalFailure where it is negative or not finite.
  Vector prior_variance() const;

  // Scores of candidates with these means and variances; the largest wins. -infinity for rows whose
  // site would be uniform or improper.
  void scores(const Index* rows, VectorIn mean, VectorIn variance, VectorOut out) const;

  // Includes a row whose column of M, mean and variance are given; false, and nothing has changed,
  // if its site would be uniform or improper.
  bool include(Index row, VectorIn column, double mean, double variance, Inclusion& inclusion);

  LatentFit finish() const;

 private:
  const BoundKernel& kernel_;
  const Likelihood& likelihood_;
  // The site that all copies of a row have in common, given the row's mean and variance without
  // them: theory.md#case-weights.
  Site site_of_copies(Index row, double mean, double variance) const;

  Eigen::Ref<const Matrix> y_;
  double prior_mean_;
  Vector prior_means_, weight_;  // of every row
  bool weighted_;
  IvmOptions options_;

  GrowingCholesky factor_;
  Indices active_;
  std::vector<char> included_;
  Vector root_precision_, site_mean_, gain_;
  double log_evidence_ = 0.0;
  double last_information_ = 0.0;
};

}  // namespace gpsieve

#endif
