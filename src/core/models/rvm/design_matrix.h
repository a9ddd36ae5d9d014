// The design matrix Phi (N x K): the values of the K candidate basis functions at the N training
// inputs. A basis function is a kernel function divided by its scale, phi_j(x) = k(x, c_j) / h_j
// (theory.md#scale-of-the-basis-functions).
#ifndef GPSIEVE_MODELS_RVM_DESIGN_MATRIX_H
#define GPSIEVE_MODELS_RVM_DESIGN_MATRIX_H

#include <functional>

#include "base/context.h"
#include "kernel/kernel.h"

namespace gpsieve {

// Phi is stored if it has at most 2^26 entries (512 MiB). A larger Phi is never held in memory: its
// columns are computed in blocks whenever they are needed, so that a fit stores only the N x M
// columns of the active functions. Several threads may call the const functions at once if the
// kernel is thread-safe.
class RvmDesignMatrix {
 public:
  // All references must outlive the object. With an intercept, candidate 0 is the constant 1. The
  // scales (3) count row i `weight(i)` times; empty: once. Row i is multiplied by `row_scale(i)`;
  // empty: 1 (theory.md#case-weights).
  RvmDesignMatrix(const Kernel& kernel, Points x, Points centres, bool intercept,
                  const Context& ctx, const Vector& weight = Vector(), Vector row_scale = Vector());

  Index rows() const { return x_.cols(); }                      // N
  Index size() const { return centres_.cols() + intercepts_; }  // K
  bool intercept() const { return intercepts_ == 1; }
  // The column of `centres` that holds the centre of candidate j, which is not the intercept.
  Index centre(Index j) const { return j - intercepts_; }
  // h_j, theory.md (3); 1 for the intercept.
  double scale(Index j) const { return j < intercepts_ ? 1.0 : scales_(centre(j)); }
  const Vector& row_scale() const { return row_scale_; }

  // The columns of Phi with these numbers, side by side.
  void columns(const Index* candidates, Index count, MatrixOut out) const;
  // Calls visit(first, block) for consecutive blocks of columns of Phi, the first one at `first`.
  void each_block(const std::function<void(Index, MatrixIn)>& visit) const;

 private:
  void compute_columns(Index first, MatrixOut out, int threads) const;
  void divide_by_scale(Index candidate, Eigen::Ref<Vector> column) const;
  void multiply_rows(MatrixOut columns) const;

  const Kernel& kernel_;
  Eigen::Ref<const Matrix> x_, centres_;
  Index intercepts_;  // 0 or 1
  Vector row_scale_;
  Vector scales_;  // of the kernel functions, one for each centre
  Matrix stored_;  // Phi, or empty if Phi is too large to be stored
};

}  // namespace gpsieve

#endif
