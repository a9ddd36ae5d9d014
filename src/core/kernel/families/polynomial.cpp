// variance * (offset + scale * x'z)^degree
//
// Hyper-parameters: variance, offset, scale. An offset of 0 has no logarithm: it is then a
// constant, and the hyper-parameters are variance and scale. The degree is always a constant.
#include <cmath>

#include "base/error.h"
#include "kernel/factories.h"
#include "kernel/families/leaf.h"
#include "kernel/spec_values.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr double kLargestDegree =
    1000.0;  // larger than any useful degree; bounds the loop of power()

double power(double base, int exponent) {
  double result = 1.0;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

class Polynomial final : public Leaf {
 public:
  // `rows`: nullptr, or what the row numbers that are the points refer to.
  Polynomial(Vector values, int degree, std::shared_ptr<const SparseRows> rows)
      : Leaf(std::move(values)),
        degree_(degree),
        has_offset_(n_params() == 3),
        rows_(std::move(rows)) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    inner(a, b, k);
    k = k.unaryExpr([this](double s) { return at(s); });
  }
  void diagonal(Points a, VectorOut k) const override {
    inner(a, k);
    k = k.unaryExpr([this](double s) { return at(s); });
  }

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    Matrix s(a.cols(), b.cols());
    inner(a, b, s);
    for (Index j = 0; j < s.cols(); ++j) add_gradient(s.col(j), g.col(j), grad);
  }
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const override {
    Vector s(a.cols());
    inner(a, s);
    add_gradient(s, g, grad);
  }
  void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const override {
    require_inputs();
    Matrix h(a.cols(), b.cols());
    inner(a, b, h);
    h = h.unaryExpr([this](double s) { return slope(s); }).cwiseProduct(g);
    gemm(std::sqrt(scale()), scaled(a), Op::plain, h, Op::plain, 1.0, grad_b);
  }
  void diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const override {
    require_inputs();
    Vector s(a.cols());
    inner(a, s);
    for (Index i = 0; i < a.cols(); ++i)
      grad_a.col(i) += 2.0 * g[i] * slope(s[i]) * scale() * a.col(i);
  }

 private:
  double offset() const { return has_offset_ ? value(1) : 0.0; }
  double scale() const { return value(n_params() - 1); }

  Matrix scaled(Points a) const { return std::sqrt(scale()) * a; }
  // s = scale * x'z
  void inner(Points a, Points b, MatrixOut s) const {
    if (rows_)
      rows_->products(rows_->numbers(a), rows_->numbers(b), weight(), s);
    else
      gemm(1.0, scaled(a), Op::transposed, scaled(b), Op::plain, 0.0, s);
  }
  // s = scale * x'x
  void inner(Points a, VectorOut s) const {
    if (rows_)
      rows_->squared_norms(rows_->numbers(a), weight(), s);
    else
      column_squared_norms(scaled(a), s);
  }
  Vector weight() const { return Vector::Constant(1, scale()); }
  void require_inputs() const {
    if (rows_) throw InvalidSpec("sparse rows have no gradient in the inputs");
  }
  double at(double s) const { return variance() * power(offset() + s, degree_); }
  double slope(double s) const { return variance() * degree_ * power(offset() + s, degree_ - 1); }

  void add_gradient(VectorIn s, VectorIn g, VectorOut grad) const {
    for (Index i = 0; i < s.size(); ++i) {
      const double along = g[i] * slope(s[i]);
      grad[0] += g[i] * at(s[i]);
      if (has_offset_) grad[1] += along * offset();
      grad[n_params() - 1] += along * s[i];
    }
  }

  int degree_;
  bool has_offset_;
  std::shared_ptr<const SparseRows> rows_;
};

}  // namespace

std::unique_ptr<Kernel> make_polynomial(const KernelSpec& spec, const InputSpace& inputs) {
  expect_values(spec, {"degree", "variance", "offset", "scale"});
  const double degree = positive_value(spec, "degree");
  if (degree != std::floor(degree) || degree > kLargestDegree)
    refuse_value(spec, "degree", "a positive whole number of at most 1000", degree);
  const double offset = non_negative_value(spec, "offset");
  const double variance = positive_value(spec, "variance"), scale = positive_value(spec, "scale");
  Vector values(offset > 0.0 ? 3 : 2);
  values[0] = variance;
  if (offset > 0.0) values[1] = offset;
  values[values.size() - 1] = scale;
  return std::make_unique<Polynomial>(std::move(values), static_cast<int>(degree), inputs.rows);
}

}  // namespace gpsieve
