#include "kernel/mapped_inputs.h"

#include "base/error.h"

namespace gpsieve {
namespace {

// The points of a data set, mapped once.
class MappedPoints final : public PreparedPoints {
 public:
  MappedPoints(const Kernel& child, Matrix x) : x_(std::move(x)), points_(child.prepare(x_)) {}
  void block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const override {
    points_->block(a, n_a, b, n_b, out);
  }
  void column(Index i, Index begin, VectorOut out) const override {
    points_->column(i, begin, out);
  }
  std::unique_ptr<SelectedPoints> select(const Index* b, Index n_b) const override {
    return points_->select(b, n_b);
  }

 private:
  const Matrix x_;
  std::unique_ptr<PreparedPoints> points_;
};

Matrix zeros_like(Points x) { return Matrix::Zero(x.rows(), x.cols()); }

}  // namespace

void MappedInputs::cross(Points a, Points b, MatrixOut k) const {
  const Matrix u = mapped(a);
  const bool same = a.data() == b.data() && a.cols() == b.cols();
  child_->cross(u, same ? u : mapped(b), k);
}

void MappedInputs::diagonal(Points a, VectorOut k) const { child_->diagonal(mapped(a), k); }

std::unique_ptr<PreparedPoints> MappedInputs::prepare(Points x) const {
  return std::make_unique<MappedPoints>(*child_, mapped(x));
}

void MappedInputs::cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const {
  Matrix none(0, 0);
  gradients(a, b, g, grad, none, none);
}

void MappedInputs::gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                             MatrixOut grad_b) const {
  Matrix by_u = zeros_like(a), by_v = zeros_like(b);
  child_->gradients(mapped(a), mapped(b), g, grad.head(child_->n_params()), by_u, by_v);
  add_own(a, by_u, grad.tail(n_own()));
  add_own(b, by_v, grad.tail(n_own()));
  if (grad_a.size() > 0) add_inputs(a, by_u, grad_a);
  if (grad_b.size() > 0) add_inputs(b, by_v, grad_b);
}

void MappedInputs::diagonal_gradient(Points a, VectorIn g, VectorOut grad) const {
  const Matrix u = mapped(a);
  Matrix by_u = zeros_like(a);
  child_->diagonal_gradient(u, g, grad.head(child_->n_params()));
  child_->diagonal_input_gradient(u, g, by_u);
  add_own(a, by_u, grad.tail(n_own()));
}

void MappedInputs::input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const {
  Matrix by_v = zeros_like(b);
  child_->input_gradient(mapped(a), mapped(b), g, by_v);
  add_inputs(b, by_v, grad_b);
}

void MappedInputs::diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const {
  Matrix by_u = zeros_like(a);
  child_->diagonal_input_gradient(mapped(a), g, by_u);
  add_inputs(a, by_u, grad_a);
}

Vector MappedInputs::params() const {
  Vector all(n_params());
  all << child_->params(), own();
  return all;
}

void MappedInputs::set_params(VectorIn params) {
  if (params.size() != n_params())
    throw InvalidSpec("a kernel with " + std::to_string(n_params()) +
                      " hyper-parameters was given " + std::to_string(params.size()));
  set_own(params.tail(n_own()));
  child_->set_params(params.head(child_->n_params()));
}

}  // namespace gpsieve
