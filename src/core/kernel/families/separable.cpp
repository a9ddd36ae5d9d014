// variance * prod_d m((x_d - z_d)^2 / lengthscale_d^2), with the Matern function m of order nu =
// 1/2, 3/2 or 5/2 that is 1 at 0: a Matern kernel of each input, multiplied. nu is a constant, not
// a hyper-parameter.
#include "kernel/factories.h"
#include "kernel/families/leaf.h"
#include "kernel/spec_values.h"
#include "simd/profiles.h"

namespace gpsieve {
namespace {

// m(r2) and dm/dr2 on arrays.
struct MaternFunction {
  void (*profile)(const double* r2, double* k, Index n, double variance);
  void (*slope)(const double* r2, double* k, double* slope, Index n, double variance);
};

class Separable final : public Leaf {
 public:
  // values: variance, n_lengthscales lengthscales
  Separable(Vector values, Index n_lengthscales, MaternFunction matern)
      : Leaf(std::move(values)), n_lengthscales_(n_lengthscales), matern_(matern) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    const Matrix rows = a.transpose();
    Vector factor(a.cols());
    for (Index j = 0; j < b.cols(); ++j) {
      k.col(j).setConstant(variance());
      for (Index d = 0; d < b.rows(); ++d) {
        set_squares(rows, b, j, d, factor);
        matern_.profile(factor.data(), factor.data(), factor.size(), 1.0);
        k.col(j).array() *= factor.array();
      }
    }
  }
  void diagonal(Points, VectorOut k) const override { k.setConstant(variance()); }

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    if (g.size() == 0) return;
    const Matrix rows = a.transpose();
    Factors factors(a.cols(), b.rows());
    for (Index j = 0; j < b.cols(); ++j) {
      evaluate(rows, b, j, factors);
      const Vector h = g.col(j).cwiseProduct(factors.product);
      grad[0] += h.sum();
      // d r2_d / d log lengthscale_d = -2 r2_d
      for (Index d = 0; d < b.rows(); ++d)
        grad[parameter(d)] -= 2.0 * h.dot(factors.log_slope.col(d).cwiseProduct(factors.r2.col(d)));
    }
  }
  void diagonal_gradient(Points, VectorIn g, VectorOut grad) const override {
    grad[0] += variance() * g.sum();
  }

  void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const override {
    if (g.size() == 0) return;
    const Matrix rows = a.transpose();
    Factors factors(a.cols(), b.rows());
    for (Index j = 0; j < b.cols(); ++j) {
      evaluate(rows, b, j, factors);
      const Vector h = g.col(j).cwiseProduct(factors.product);
      // d r2_d / d z_d = -2 (x_d - z_d) / lengthscale_d^2
      for (Index d = 0; d < b.rows(); ++d) {
        const auto distance = (rows.col(d).array() - b(d, j)) / lengthscale(d);
        grad_b(d, j) -=
            2.0 / lengthscale(d) * (h.array() * factors.log_slope.col(d).array() * distance).sum();
      }
    }
  }
  void diagonal_input_gradient(Points, VectorIn, MatrixOut) const override {}

 private:
  // Of all points a against one point b: squared distances in each input, d log m / d r2 there, and
  // the values of the kernel.
  struct Factors {
    Factors(Index n, Index p) : r2(n, p), log_slope(n, p), product(n), value(n) {}
    Matrix r2, log_slope;
    Vector product, value;
  };

  Index parameter(Index d) const { return 1 + (n_lengthscales_ == 1 ? 0 : d); }
  double lengthscale(Index d) const { return value(parameter(d)); }

  // Squared scaled distances in input d of all points, the columns of `rows`, from b_j.
  void set_squares(const Matrix& rows, Points b, Index j, Index d, VectorOut r2) const {
    r2 = ((rows.col(d).array() - b(d, j)) / lengthscale(d)).square();
  }
  void evaluate(const Matrix& rows, Points b, Index j, Factors& out) const {
    out.product.setConstant(variance());
    for (Index d = 0; d < b.rows(); ++d) {
      set_squares(rows, b, j, d, out.r2.col(d));
      auto slope = out.log_slope.col(d);
      matern_.slope(out.r2.col(d).data(), out.value.data(), slope.data(), out.value.size(), 1.0);
      out.product.array() *= out.value.array();
      // A factor that underflows to 0 leaves no gradient.
      slope = (out.value.array() == 0.0).select(0.0, slope.array() / out.value.array());
      // The square of a great distance can overflow, and infinity times 0 is no number.
      out.r2.col(d) = (out.value.array() == 0.0).select(0.0, out.r2.col(d).array());
    }
  }

  Index n_lengthscales_;
  MaternFunction matern_;
};

}  // namespace

std::unique_ptr<Kernel> make_separable(const KernelSpec& spec, const InputSpace& inputs) {
  refuse_sparse_rows(spec, inputs);
  expect_values(spec, {"nu", "variance", "lengthscale"});
  const double nu = positive_value(spec, "nu");
  const Vector lengthscale = lengthscale_values(spec, inputs.width);
  const Vector values = join_values(positive_value(spec, "variance"), lengthscale);
  MaternFunction matern{};
  if (nu == 0.5) matern = {profile_matern12, slope_matern12};
  if (nu == 1.5) matern = {profile_matern32, slope_matern32};
  if (nu == 2.5) matern = {profile_matern52, slope_matern52};
  if (matern.profile == nullptr) refuse_value(spec, "nu", "0.5, 1.5 or 2.5", nu);
  return std::make_unique<Separable>(values, lengthscale.size(), matern);
}

}  // namespace gpsieve
