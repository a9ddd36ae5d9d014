// variance * x'z
#include <cmath>

#include "kernel/factories.h"
#include "kernel/families/leaf.h"
#include "kernel/spec_values.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

class Linear final : public Leaf {
 public:
  explicit Linear(double variance) : Leaf(Vector::Constant(1, variance)) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    gemm(1.0, scaled(a), Op::transposed, scaled(b), Op::plain, 0.0, k);
  }
  void diagonal(Points a, VectorOut k) const override { column_squared_norms(scaled(a), k); }

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    Matrix k(a.cols(), b.cols());
    cross(a, b, k);
    grad[0] += k.cwiseProduct(g).sum();
  }
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const override {
    Vector k(a.cols());
    diagonal(a, k);
    grad[0] += k.dot(g);
  }
  void input_gradient(Points a, Points, MatrixIn g, MatrixOut grad_b) const override {
    gemm(variance(), a, Op::plain, g, Op::plain, 1.0, grad_b);
  }
  void diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const override {
    for (Index i = 0; i < a.cols(); ++i) grad_a.col(i) += 2.0 * variance() * g[i] * a.col(i);
  }

 private:
  // Scaled before they are multiplied, so that inputs of any size meet a variance to match.
  Matrix scaled(Points a) const { return std::sqrt(variance()) * a; }
};

}  // namespace

std::unique_ptr<Kernel> make_linear(const KernelSpec& spec, Index) {
  expect_values(spec, {"variance"});
  return std::make_unique<Linear>(positive_value(spec, "variance"));
}

}  // namespace gpsieve
