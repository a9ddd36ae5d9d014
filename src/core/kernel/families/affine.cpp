// Lines whose intercept and slopes are correlated (theory.md (20)): for p inputs
//   k(x, z) = v + s x'z + cos(angle) sqrt(v s / p) sum_d (x_d + z_d)
#include <cmath>

#include "kernel/factories.h"
#include "kernel/families/leaf.h"
#include "kernel/spec_values.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

class Affine final : public Leaf {
 public:
  // The variance of the intercept, that of each slope, and the angle of the two.
  explicit Affine(Vector values) : Leaf(std::move(values)) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    gemm(slope(), a, Op::transposed, b, Op::plain, 0.0, k);
    const Vector left = shared(a.rows()) * sums(a), right = shared(b.rows()) * sums(b);
    k = k + (left.replicate(1, b.cols()) + right.transpose().replicate(a.cols(), 1));
    k.array() += variance();
  }
  void diagonal(Points a, VectorOut k) const override {
    column_squared_norms(a, k);
    k = (slope() * k + 2.0 * shared(a.rows()) * sums(a)).array() + variance();
  }

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    if (g.size() == 0) return;
    Matrix weighted(a.rows(), b.cols());
    gemm(1.0, a, Op::plain, g, Op::plain, 0.0, weighted);
    const double of_sums =
        sums(a).dot(g.rowwise().sum()) + sums(b).dot(g.colwise().sum().transpose());
    add_gradient(a.rows(), g.sum(), of_sums, weighted.cwiseProduct(b).sum(), grad);
  }
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const override {
    Vector squares(a.cols());
    column_squared_norms(a, squares);
    add_gradient(a.rows(), g.sum(), 2.0 * sums(a).dot(g), squares.dot(g), grad);
  }
  void input_gradient(Points a, Points, MatrixIn g, MatrixOut grad_b) const override {
    Matrix weighted(a.rows(), g.cols());
    gemm(1.0, a, Op::plain, g, Op::plain, 0.0, weighted);
    grad_b += slope() * weighted;
    grad_b += shared(a.rows()) * g.colwise().sum().replicate(a.rows(), 1);
  }
  void diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const override {
    const double constant = shared(a.rows());
    for (Index i = 0; i < a.cols(); ++i)
      grad_a.col(i) += 2.0 * g[i] * ((slope() * a.col(i)).array() + constant).matrix();
  }

 private:
  double slope() const { return value(1); }
  double angle() const { return value(2); }
  double scale(Index p) const { return std::sqrt(variance() * slope() / static_cast<double>(p)); }
  // The covariance of the intercept and one of p slopes.
  double shared(Index p) const { return std::cos(angle()) * scale(p); }
  static Vector sums(Points x) { return x.colwise().sum().transpose(); }

  // From sum_ij g_ij times 1, sum_d (x_d + z_d) and x'z.
  void add_gradient(Index p, double of_one, double of_sums, double of_products,
                    VectorOut grad) const {
    const double half = 0.5 * shared(p) * of_sums;
    grad[0] += variance() * of_one + half;
    grad[1] += slope() * of_products + half;
    grad[2] -= angle() * std::sin(angle()) * scale(p) * of_sums;
  }
};

}  // namespace

std::unique_ptr<Kernel> make_affine(const KernelSpec& spec, const InputSpace& inputs) {
  refuse_sparse_rows(spec, inputs);
  expect_values(spec, {"variance", "slope", "angle"});
  return std::make_unique<Affine>(join_values(positive_value(spec, "variance"),
                                              Vector::Constant(1, positive_value(spec, "slope")),
                                              {positive_value(spec, "angle")}));
}

}  // namespace gpsieve
