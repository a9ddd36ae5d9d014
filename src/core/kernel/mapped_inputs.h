// Kernels whose child sees a function of the inputs in place of the inputs (theory.md (23)). The
// hyper-parameters are the child's and then those of the function.
#ifndef GPSIEVE_KERNEL_MAPPED_INPUTS_H
#define GPSIEVE_KERNEL_MAPPED_INPUTS_H

#include <memory>

#include "kernel/kernel.h"

namespace gpsieve {

class MappedInputs : public Kernel {
 public:
  explicit MappedInputs(std::unique_ptr<Kernel> child) : child_(std::move(child)) {}

  void cross(Points a, Points b, MatrixOut k) const final;
  void diagonal(Points a, VectorOut k) const final;
  std::unique_ptr<PreparedPoints> prepare(Points x) const final;

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const final;
  void gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                 MatrixOut grad_b) const final;
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const final;
  void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const final;
  void diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const final;

  Index n_params() const final { return child_->n_params() + n_own(); }
  Vector params() const final;
  void set_params(VectorIn params) final;
  bool thread_safe() const final { return child_->thread_safe(); }

 private:
  // What the child sees of points.
  virtual Matrix mapped(Points x) const = 0;
  // The hyper-parameters of the function; set_own() throws before it changes anything.
  virtual Index n_own() const = 0;
  virtual Vector own() const = 0;
  virtual void set_own(VectorIn own) = 0;
  // From the gradient by the mapped points, `by_mapped`: grad += that by own hyper-parameters, and
  // grad += that by the points.
  virtual void add_own(Points x, const Matrix& by_mapped, VectorOut grad) const = 0;
  virtual void add_inputs(Points x, const Matrix& by_mapped, MatrixOut grad) const = 0;

  std::unique_ptr<Kernel> child_;
};

}  // namespace gpsieve

#endif
