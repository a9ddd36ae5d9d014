// Matern functions of the distance between places on a sphere: of the chord for every nu, of the
// arc for nu = 1/2 only, because for larger nu of the arc matrices need not be positive
// semi-definite (theory.md (18)).
//
// Inputs are two rows, longitude and latitude, that may be centred and scaled: origin + unit x is
// in degrees. The places are points of three coordinates in the unit of the radius; the functions
// of these points give values and gradients, and here the chain rule is added.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernel/factories.h"
#include "kernel/families/leaf.h"
#include "kernel/families/scaled_pairs.h"
#include "kernel/spec_values.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

// variance * exp(-arc / lengthscale) for points of three coordinates on a sphere.
class Arc final : public Leaf {
 public:
  Arc(double variance, double lengthscale, double radius)
      : Leaf(join_values(variance, Vector::Constant(1, lengthscale))), radius_(radius) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    pairs(a, b).squared_distances(k);
    k = k.unaryExpr([this](double r2) { return variance() * std::exp(-decay(r2)); });
  }
  void diagonal(Points, VectorOut k) const override { k.setConstant(variance()); }

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    if (g.size() == 0) return;
    Matrix r2(a.cols(), b.cols());
    pairs(a, b).squared_distances(r2);
    const Matrix t = r2.unaryExpr([this](double chord2) { return decay(chord2); });
    const Matrix h = variance() * (-t.array()).exp() * g.array();
    grad[0] += h.sum();
    grad[1] += h.cwiseProduct(t).sum();
  }
  void diagonal_gradient(Points, VectorIn g, VectorOut grad) const override {
    grad[0] += variance() * g.sum();
  }

  void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const override {
    if (g.size() == 0) return;
    const ScaledPairs between = pairs(a, b);
    Matrix r2(a.cols(), b.cols());
    NearPairs near;
    between.squared_distances(r2, &near);
    Matrix h = r2.unaryExpr([this](double chord2) { return slope(chord2); }).cwiseProduct(g).eval();
    Vector none(0);
    between.add_sums(r2, near, h, none, Side::right, grad_b);
  }
  void diagonal_input_gradient(Points, VectorIn, MatrixOut) const override {}

 private:
  // Squared chords r2 of the sphere of radius 1.
  ScaledPairs pairs(Points a, Points b) const {
    return ScaledPairs(a, b, Vector::Constant(1, radius_));
  }
  static double angle(double r2) { return 2.0 * std::asin(std::min(1.0, 0.5 * std::sqrt(r2))); }
  double decay(double r2) const { return angle(r2) * radius_ / value(1); }
  // dk / dr2, with d angle / dr2 = 1 / (2 sin(angle)). A point itself and its antipode, where there
  // is no derivative, have 0.
  double slope(double r2) const {
    if (!(r2 > 0.0 && r2 < 4.0)) return 0.0;
    const double sine = 0.5 * std::sqrt(r2 * (4.0 - r2));
    return -0.5 * variance() * std::exp(-decay(r2)) * (radius_ / value(1)) / sine;
  }

  double radius_;
};

// A kernel of places on the sphere, as a function of longitude and latitude.
class GreatCircle final : public Kernel {
 public:
  GreatCircle(std::unique_ptr<Kernel> of_places, double radius, const Vector& origin,
              const Vector& unit)
      : of_places_(std::move(of_places)), radius_(radius), origin_(origin), unit_(unit) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    of_places_->cross(places(a), places(b), k);
  }
  void diagonal(Points a, VectorOut k) const override { of_places_->diagonal(places(a), k); }
  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    of_places_->cross_gradient(places(a), places(b), g, grad);
  }
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const override {
    of_places_->diagonal_gradient(places(a), g, grad);
  }
  void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const override {
    const Matrix at = places(b);
    Matrix moves = Matrix::Zero(3, b.cols());
    of_places_->input_gradient(places(a), at, g, moves);
    for (Index j = 0; j < b.cols(); ++j) {
      const double east = radians(b, 0, j), north = radians(b, 1, j);
      // East is tangent to the circle of latitude, whose radius is that of the first two
      // coordinates.
      grad_b(0, j) += kDegree * unit_[0] * (at(0, j) * moves(1, j) - at(1, j) * moves(0, j));
      grad_b(1, j) +=
          kDegree * unit_[1] * radius_ *
          (std::cos(north) * moves(2, j) -
           std::sin(north) * (std::cos(east) * moves(0, j) + std::sin(east) * moves(1, j)));
    }
  }
  void diagonal_input_gradient(Points, VectorIn, MatrixOut) const override {}

  Index n_params() const override { return of_places_->n_params(); }
  Vector params() const override { return of_places_->params(); }
  void set_params(VectorIn log_params) override { of_places_->set_params(log_params); }

 private:
  static constexpr double kDegree = kTwoPi / 360.0;

  // remainder() is exact: whole turns lose no digits.
  double radians(Points x, Index d, Index i) const {
    return kDegree * std::remainder(origin_[d] + unit_[d] * x(d, i), 360.0);
  }
  Matrix places(Points x) const {
    Matrix at(3, x.cols());
    for (Index i = 0; i < x.cols(); ++i) {
      const double east = radians(x, 0, i), north = radians(x, 1, i);
      at(0, i) = radius_ * std::cos(north) * std::cos(east);
      at(1, i) = radius_ * std::cos(north) * std::sin(east);
      at(2, i) = radius_ * std::sin(north);
    }
    return at;
  }

  std::unique_ptr<Kernel> of_places_;
  double radius_;
  Vector origin_, unit_;
};

std::unique_ptr<Kernel> kernel_of_places(const KernelSpec& spec, double radius) {
  const double variance = positive_value(spec, "variance");
  const double lengthscale = positive_value(spec, "lengthscale");
  const double nu = positive_value(spec, "nu");
  if (non_negative_value(spec, "arc") > 0.0) {
    if (nu != 0.5) refuse_value(spec, "nu", "0.5 on the arc", nu);
    return std::make_unique<Arc>(variance, lengthscale, radius);
  }
  KernelSpec matern;
  matern.type = "matern";
  matern.values = {{"nu", {nu}}, {"variance", {variance}}, {"lengthscale", {lengthscale}}};
  return make_matern(matern, 3);
}

}  // namespace

std::unique_ptr<Kernel> make_great_circle(const KernelSpec& spec, const InputSpace& inputs) {
  refuse_sparse_rows(spec, inputs);
  expect_values(spec, {"nu", "variance", "lengthscale", "radius", "arc", "origin", "unit"});
  if (inputs.width != 2)
    throw InvalidSpec("kernel 'great_circle': the inputs must be longitude and latitude, found " +
                      std::to_string(inputs.width) + " inputs");
  const double radius = positive_value(spec, "radius");
  return std::make_unique<GreatCircle>(kernel_of_places(spec, radius), radius,
                                       finite_values(spec, "origin", 2),
                                       finite_values(spec, "unit", 2));
}

}  // namespace gpsieve
