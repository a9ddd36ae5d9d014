// A kernel of some of the input columns only.
#include "base/error.h"
#include "kernel/factories.h"
#include "kernel/spec_values.h"

namespace gpsieve {
namespace {

// Keeps the columns that it picked for the block of its child; blocks of the same a share those of
// a.
class OnDims;
class PickedBlock final : public EvaluatedBlock {
 public:
  PickedBlock(const OnDims& kernel, const Kernel& child, Matrix a, Matrix b, MatrixOut k)
      : kernel_(kernel),
        a_(std::make_shared<const Matrix>(std::move(a))),
        b_(std::move(b)),
        block_(child.evaluate_block(*a_, b_, k)) {}
  PickedBlock(const PickedBlock& other, Matrix b, MatrixOut k)
      : kernel_(other.kernel_), a_(other.a_), b_(std::move(b)), block_(other.block_->with(b_, k)) {}
  Index cols() const override { return b_.cols(); }
  void add_gradients_of(const Row& row, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                        int threads) const override;
  std::unique_ptr<EvaluatedBlock> with(Points b, MatrixOut k) const override;

 private:
  const OnDims& kernel_;
  std::shared_ptr<const Matrix> a_;
  Matrix b_;
  std::unique_ptr<EvaluatedBlock> block_;
};

class OnDims final : public Kernel {
 public:
  OnDims(std::unique_ptr<Kernel> child, Indices dims)
      : child_(std::move(child)), dims_(std::move(dims)) {}

  void cross(Points a, Points b, MatrixOut k) const override { child_->cross(pick(a), pick(b), k); }
  std::unique_ptr<EvaluatedBlock> evaluate_block(Points a, Points b, MatrixOut k) const override {
    return std::make_unique<PickedBlock>(*this, *child_, pick(a), pick(b), k);
  }
  void diagonal(Points a, VectorOut k) const override { child_->diagonal(pick(a), k); }
  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    child_->cross_gradient(pick(a), pick(b), g, grad);
  }
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const override {
    child_->diagonal_gradient(pick(a), g, grad);
  }
  void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const override {
    Matrix picked = Matrix::Zero(size(), b.cols());
    child_->input_gradient(pick(a), pick(b), g, picked);
    add_back(picked, grad_b);
  }
  void gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                 MatrixOut grad_b) const override {
    const auto zeros = [this](MatrixIn all) {
      return Matrix(Matrix::Zero(all.size() > 0 ? size() : 0, all.cols()));
    };
    Matrix picked_a = zeros(grad_a), picked_b = zeros(grad_b);
    child_->gradients(pick(a), pick(b), g, grad, picked_a, picked_b);
    if (grad_a.size() > 0) add_back(picked_a, grad_a);
    if (grad_b.size() > 0) add_back(picked_b, grad_b);
  }
  void diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const override {
    Matrix picked = Matrix::Zero(size(), a.cols());
    child_->diagonal_input_gradient(pick(a), g, picked);
    add_back(picked, grad_a);
  }

  Index n_params() const override { return child_->n_params(); }
  Vector params() const override { return child_->params(); }
  void set_params(VectorIn log_params) override { child_->set_params(log_params); }
  bool thread_safe() const override { return child_->thread_safe(); }

  void add_back(const Matrix& picked, MatrixOut all) const {
    for (Index d = 0; d < size(); ++d) all.row(dims_[d]) += picked.row(d);
  }
  Matrix pick(Points a) const {
    Matrix picked(size(), a.cols());
    for (Index d = 0; d < size(); ++d) picked.row(d) = a.row(dims_[d]);
    return picked;
  }

 private:
  Index size() const { return static_cast<Index>(dims_.size()); }

  std::unique_ptr<Kernel> child_;
  Indices dims_;
};

void PickedBlock::add_gradients_of(const Row& row, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                                   int threads) const {
  const bool by_inputs = grad_a.size() > 0;
  Matrix picked = Matrix::Zero(by_inputs ? a_->rows() : 0, by_inputs ? a_->cols() : 0);
  Row of_child;
  for (const EvaluatedBlock* block : row)
    of_child.push_back(static_cast<const PickedBlock*>(block)->block_.get());
  block_->add_gradients_of(of_child, g, grad, picked, threads);
  if (by_inputs) kernel_.add_back(picked, grad_a);
}

std::unique_ptr<EvaluatedBlock> PickedBlock::with(Points b, MatrixOut k) const {
  return std::make_unique<PickedBlock>(*this, kernel_.pick(b), k);
}

}  // namespace

std::unique_ptr<Kernel> make_on(const KernelSpec& spec, const InputSpace& inputs) {
  expect_values(spec, {});
  expect_child_and_dims(spec, inputs);
  // The child then takes the same row numbers.
  if (inputs.rows) return make_kernel(spec.children[0], inputs.rows->columns(spec.dims));
  return std::make_unique<OnDims>(
      make_kernel(spec.children[0], static_cast<Index>(spec.dims.size())), spec.dims);
}

}  // namespace gpsieve
