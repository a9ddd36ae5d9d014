// variance * exp(-2 sum_d sin^2(pi (x_d - z_d) / period) / lengthscale_d^2)
//
// 4 sin^2(pi u) is the squared chord between angles 2 pi u apart: the kernel is an RBF of
// the points (cos, sin) on circles, and its blocks come from the same matrix product.
#include <cmath>

#include "kernel/factories.h"
#include "kernel/families/leaf.h"
#include "kernel/families/scaled_pairs.h"
#include "kernel/spec_values.h"
#include "linalg/products.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

class Periodic final : public Leaf {
 public:
  // values: variance, n_lengthscales lengthscales, period
  Periodic(Vector values, Index n_lengthscales)
      : Leaf(std::move(values)), n_lengthscales_(n_lengthscales) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    const Matrix on_a = circles(a), on_b = circles(b);
    ScaledPairs(on_a, on_b, radii(a.rows())).squared_distances(k);
    k = k.unaryExpr([this](double r2) { return variance() * std::exp(-0.5 * r2); });
  }
  void diagonal(Points, VectorOut k) const override { k.setConstant(variance()); }

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    if (g.size() == 0) return;
    const Index p = a.rows();
    const Vector origin = centre_of(a);
    const Matrix on_a = circles(a), on_b = circles(b);
    const ScaledPairs pairs(on_a, on_b, radii(p));
    Matrix r2(a.cols(), b.cols());
    NearPairs near;
    pairs.squared_distances(r2, &near);
    Matrix h = weights(r2, g);

    grad[0] -= 2.0 * h.sum();  // k = -2 dk/dr2
    grad[n_params() - 1] += period_gradient(angles(a, origin), on_a, angles(b, origin), on_b, h);
    if (n_lengthscales_ == 1) {
      grad[1] -= 2.0 * h.cwiseProduct(r2).sum();
    } else {
      Vector squares = Vector::Zero(2 * p);
      Matrix none(0, b.cols());
      pairs.add_sums(r2, near, h, squares, Side::right, none);
      grad.segment(1, p) -= 2.0 * (squares.head(p) + squares.tail(p));
    }
  }
  void diagonal_gradient(Points, VectorIn g, VectorOut grad) const override {
    grad[0] += variance() * g.sum();
  }

  void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const override {
    if (g.size() == 0) return;
    const Index p = a.rows();
    const Matrix on_a = circles(a), on_b = circles(b);
    Matrix r2(a.cols(), b.cols()), sums(2 * p, b.cols());
    ScaledPairs(on_a, on_b, radii(p)).squared_distances(r2);
    gemm(1.0, on_a, Op::plain, weights(r2, g), Op::plain, 0.0, sums);
    // d r2 / d b = -4 pi / (period l^2) sin(angle of a - angle of b)
    for (Index j = 0; j < b.cols(); ++j)
      for (Index d = 0; d < p; ++d) {
        const double sine = sums(p + d, j) * on_b(d, j) - sums(d, j) * on_b(p + d, j);
        grad_b(d, j) -= 2.0 * kTwoPi / period() * (sine / lengthscale(d)) / lengthscale(d);
      }
  }
  void diagonal_input_gradient(Points, VectorIn, MatrixOut) const override {}

 private:
  double lengthscale(Index d) const { return value(1 + (n_lengthscales_ == 1 ? 0 : d)); }
  double period() const { return value(n_params() - 1); }

  // The lengthscales of the rows of circles().
  Vector radii(Index p) const {
    Vector all(2 * p);
    for (Index d = 0; d < p; ++d) all[d] = all[p + d] = lengthscale(d);
    return all;
  }
  // Rows 0..p-1 are cosines, p..2p-1 sines. remainder() is exact: no digits are lost far from the
  // origin, however many periods away.
  Matrix circles(Points a) const {
    const Index p = a.rows();
    Matrix on(2 * p, a.cols());
    for (Index i = 0; i < a.cols(); ++i)
      for (Index d = 0; d < p; ++d) {
        const double angle = kTwoPi * (std::remainder(a(d, i), period()) / period());
        on(d, i) = std::cos(angle);
        on(p + d, i) = std::sin(angle);
      }
    return on;
  }
  // Whole turns included.
  Matrix angles(Points a, const Vector& origin) const {
    return kTwoPi * ((a.colwise() - origin) / period());
  }
  // g o dk/dr2
  Matrix weights(MatrixIn r2, MatrixIn g) const {
    return r2.unaryExpr([this](double r) { return -0.5 * variance() * std::exp(-0.5 * r); })
        .cwiseProduct(g);
  }
  // sum_ij h_ij d r2_ij / d log period, with d r2_d / d log period = -2 / l_d^2 v sin(v) and v the
  // angle between the points; sine and product expanded into sums over a and over b.
  double period_gradient(const Matrix& angle_a, const Matrix& on_a, const Matrix& angle_b,
                         const Matrix& on_b, const Matrix& h) const {
    const Index p = angle_a.rows();
    Matrix features(4 * p, on_a.cols()), sums(4 * p, on_b.cols());
    features.topRows(2 * p) = on_a;
    features.middleRows(2 * p, p) = angle_a.cwiseProduct(on_a.topRows(p));
    features.bottomRows(p) = angle_a.cwiseProduct(on_a.bottomRows(p));
    gemm(1.0, features, Op::plain, h, Op::plain, 0.0, sums);
    double total = 0.0;
    for (Index j = 0; j < on_b.cols(); ++j)
      for (Index d = 0; d < p; ++d) {
        const double c = on_b(d, j), s = on_b(p + d, j), v = angle_b(d, j);
        const double sum = c * sums(3 * p + d, j) - s * sums(2 * p + d, j) +
                           v * (s * sums(d, j) - c * sums(p + d, j));
        total -= 2.0 * (sum / lengthscale(d)) / lengthscale(d);
      }
    return total;
  }

  Index n_lengthscales_;
};

}  // namespace

std::unique_ptr<Kernel> make_periodic(const KernelSpec& spec, const InputSpace& inputs) {
  refuse_sparse_rows(spec, inputs);
  expect_values(spec, {"variance", "lengthscale", "period"});
  const Vector lengthscale = lengthscale_values(spec, inputs.width);
  return std::make_unique<Periodic>(
      join_values(positive_value(spec, "variance"), lengthscale, {positive_value(spec, "period")}),
      lengthscale.size());
}

}  // namespace gpsieve
