// The candidate basis functions at the training points: the design matrix Phi (N x K), column 0
// the intercept if there is one.
#ifndef GPSIEVE_MODELS_RVM_CANDIDATES_H
#define GPSIEVE_MODELS_RVM_CANDIDATES_H

#include <functional>

#include "base/context.h"
#include "kernel/kernel.h"

namespace gpsieve {

// Phi is kept whole up to 2^26 numbers (512 MiB). Beyond that columns are computed in blocks each
// time they are asked for, so that memory is that of the active columns: N M numbers. Const
// functions may be called from several threads at once if the kernel is thread-safe.
class RvmCandidates {
 public:
  // All references must outlive the object.
  RvmCandidates(const Kernel& kernel, Points x, Points centres, bool intercept, const Context& ctx);

  Index rows() const { return x_.cols(); }
  Index size() const { return centres_.cols() + lead_; }
  bool intercept() const { return lead_ == 1; }
  // The centre (column of `centres`) of candidate j, which is not the intercept.
  Index centre(Index j) const { return j - lead_; }

  // Columns of Phi by number, side by side.
  void columns(const Index* which, Index count, MatrixOut out) const;
  // visit(first, block) for consecutive blocks of columns of Phi.
  void each_block(const std::function<void(Index, MatrixIn)>& visit) const;

 private:
  void compute(Index first, MatrixOut out, int threads) const;

  const Kernel& kernel_;
  Eigen::Ref<const Matrix> x_, centres_;
  Index lead_;
  Matrix stored_;  // empty: too large to keep
};

}  // namespace gpsieve

#endif
