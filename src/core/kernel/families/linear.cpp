// variance * sum_l x_l z_l / lengthscale_l^2; without lengthscales they are 1 and no parameters
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernel/factories.h"
#include "kernel/families/leaf.h"
#include "kernel/spec_values.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

class Linear : public Leaf {
 public:
  explicit Linear(Vector values) : Leaf(std::move(values)) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    gemm(1.0, scaled(a), Op::transposed, scaled(b), Op::plain, 0.0, k);
  }
  void diagonal(Points a, VectorOut k) const override { column_squared_norms(scaled(a), k); }

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    const Matrix left = scaled(a), right = scaled(b);
    Matrix weighted(left.rows(), right.cols());
    gemm(1.0, left, Op::plain, g, Op::plain, 0.0, weighted);
    add_gradient(weighted.cwiseProduct(right).rowwise().sum(), grad);
  }
  void gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                 MatrixOut grad_b) const override {
    const Matrix left = scaled(a), right = scaled(b);
    const Vector root = precisions(a.rows()).cwiseSqrt();
    Matrix weighted(left.rows(), right.cols());
    gemm(1.0, left, Op::plain, g, Op::plain, 0.0, weighted);
    add_gradient(weighted.cwiseProduct(right).rowwise().sum(), grad);
    if (grad_b.size() > 0) grad_b += root.asDiagonal() * weighted;
    if (grad_a.size() == 0) return;
    weighted.resize(left.rows(), left.cols());
    gemm(1.0, right, Op::plain, g, Op::transposed, 0.0, weighted);
    grad_a += root.asDiagonal() * weighted;
  }
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const override {
    add_gradient(scaled(a).cwiseAbs2() * g, grad);
  }
  void input_gradient(Points a, Points, MatrixIn g, MatrixOut grad_b) const override {
    Matrix weighted(a.rows(), g.cols());
    gemm(1.0, a, Op::plain, g, Op::plain, 0.0, weighted);
    grad_b += precisions(a.rows()).asDiagonal() * weighted;
  }
  void diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const override {
    const Vector twice = 2.0 * precisions(a.rows());
    for (Index i = 0; i < a.cols(); ++i) grad_a.col(i) += g[i] * twice.cwiseProduct(a.col(i));
  }

 protected:
  Index n_lengthscales() const { return n_params() - 1; }

  // variance / lengthscale_l^2 of every input.
  Vector precisions(Index p) const {
    if (n_lengthscales() == 0) return Vector::Constant(p, variance());
    const Vector lengthscale = values(1, n_lengthscales()).replicate(p / n_lengthscales(), 1);
    return variance() * lengthscale.cwiseAbs2().cwiseInverse();
  }
  // share(l): what input l contributes to sum_ij g_ij k_ij.
  void add_gradient(const Vector& share, VectorOut grad) const {
    grad[0] += share.sum();
    if (n_lengthscales() == 1) grad[1] -= 2.0 * share.sum();
    if (n_lengthscales() > 1) grad.tail(n_lengthscales()) -= 2.0 * share;
  }

 private:
  // Inputs are scaled before they are multiplied, so that very large ones with a very small
  // variance do not overflow.
  Matrix scaled(Points a) const {
    if (n_lengthscales() == 0) return std::sqrt(variance()) * a;
    return precisions(a.rows()).cwiseSqrt().asDiagonal() * a;
  }
};

// The linear kernel of sparse rows.
class SparseLinear final : public Linear {
 public:
  SparseLinear(Vector values, std::shared_ptr<const SparseRows> rows)
      : Linear(std::move(values)), rows_(std::move(rows)) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    rows_->products(rows_->numbers(a), rows_->numbers(b), weights(), k);
  }
  void diagonal(Points a, VectorOut k) const override {
    rows_->squared_norms(rows_->numbers(a), weights(), k);
  }
  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    Vector products = Vector::Zero(rows_->width());
    rows_->add_products(rows_->numbers(a), rows_->numbers(b), g, products);
    add_gradient(products.cwiseProduct(precisions(rows_->width())), grad);
  }
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const override {
    Vector squares = Vector::Zero(rows_->width());
    rows_->add_squares(rows_->numbers(a), g, squares);
    add_gradient(squares.cwiseProduct(precisions(rows_->width())), grad);
  }
  void gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                 MatrixOut grad_b) const override {
    Kernel::gradients(a, b, g, grad, grad_a, grad_b);
  }
  void input_gradient(Points, Points, MatrixIn, MatrixOut) const override { refuse_gradient(); }
  void diagonal_input_gradient(Points, VectorIn, MatrixOut) const override { refuse_gradient(); }

 private:
  Vector weights() const { return precisions(std::max<Index>(1, n_lengthscales())); }
  [[noreturn]] static void refuse_gradient() {
    throw InvalidSpec("sparse rows have no gradient in the inputs");
  }

  std::shared_ptr<const SparseRows> rows_;
};

}  // namespace

std::unique_ptr<Kernel> make_linear(const KernelSpec& spec, const InputSpace& inputs) {
  const bool scaled = spec.values.count("lengthscale") > 0;
  expect_values(spec, scaled ? Names{"variance", "lengthscale"} : Names{"variance"});
  const double variance = positive_value(spec, "variance");
  Vector values = scaled ? join_values(variance, lengthscale_values(spec, inputs.width))
                         : Vector(Vector::Constant(1, variance));
  if (inputs.rows) return std::make_unique<SparseLinear>(std::move(values), inputs.rows);
  return std::make_unique<Linear>(std::move(values));
}

}  // namespace gpsieve
