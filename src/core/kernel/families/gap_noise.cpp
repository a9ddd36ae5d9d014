// variance for a point with itself where one of its inputs is positive, 0 elsewhere and for two
// different points: the inputs are indicators of missing values (theory.md (27)).
#include "kernel/factories.h"
#include "kernel/families/leaf.h"
#include "kernel/spec_values.h"

namespace gpsieve {
namespace {

class GapNoise final : public Leaf {
 public:
  explicit GapNoise(double variance) : Leaf(Vector::Constant(1, variance)) {}

  void cross(Points, Points, MatrixOut k) const override { k.setZero(); }
  void diagonal(Points a, VectorOut k) const override {
    for (Index i = 0; i < a.cols(); ++i) k[i] = has_gap(a, i) ? variance() : 0.0;
  }
  void cross_gradient(Points, Points, MatrixIn, VectorOut) const override {}
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const override {
    for (Index i = 0; i < a.cols(); ++i)
      if (has_gap(a, i)) grad[0] += variance() * g[i];
  }
  void input_gradient(Points, Points, MatrixIn, MatrixOut) const override {}
  void diagonal_input_gradient(Points, VectorIn, MatrixOut) const override {}

 private:
  static bool has_gap(Points a, Index i) { return (a.col(i).array() > 0.0).any(); }
};

}  // namespace

std::unique_ptr<Kernel> make_gap_noise(const KernelSpec& spec, const InputSpace& inputs) {
  refuse_sparse_rows(spec, inputs);
  expect_values(spec, {"variance"});
  return std::make_unique<GapNoise>(positive_value(spec, "variance"));
}

}  // namespace gpsieve
