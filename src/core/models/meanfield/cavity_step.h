// Newton's step for the cavity variances of TAP (theory.md#newtons-step-for-the-cavity-variances).
#ifndef GPSIEVE_MODELS_MEANFIELD_CAVITY_STEP_H
#define GPSIEVE_MODELS_MEANFIELD_CAVITY_STEP_H

#include "models/meanfield/fields.h"

namespace gpsieve {

// Keeps B^-1 of one round for the rounds after it, above the diagonal of the solver's work space,
// which the solver does not use.
class CavityStep {
 public:
  CavityStep(const FieldSolver& solver, MatrixOut work, const Context& ctx)
      : solver_(solver), work_(work), ctx_(ctx) {}

  bool is_prepared() const { return diagonal_.size() > 0; }
  // Forms B^-1. The work space holds L^-1, before and after.
  void prepare();
  // The change d of the solver's cavity variances s for which, to first order, s + d is a fixed
  // point, given residual_i = (13) at s - s_i. A row without curvature gets its residual.
  Vector solve(const Vector& residual) const;

 private:
  Vector times_inverse(const Vector& x) const;  // B^-1 x
  // sum over j other than i of ([B^-1]_ij)^2 x_j
  Vector times_squares(const Vector& x) const;

  const FieldSolver& solver_;
  Eigen::Ref<Matrix> work_;
  const Context& ctx_;
  Vector diagonal_;  // of B^-1
};

}  // namespace gpsieve

#endif
