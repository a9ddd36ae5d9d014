// variance for a point with itself, 0 for two different points even if they coincide.
#include "kernel/factories.h"
#include "kernel/families/leaf.h"
#include "kernel/spec_values.h"

namespace gpsieve {
namespace {

// Zeros have no gradients.
class ZeroBlock final : public EvaluatedBlock {
 public:
  explicit ZeroBlock(MatrixOut k) : cols_(k.cols()) { k.setZero(); }
  Index cols() const override { return cols_; }
  void add_gradients_of(const Row&, MatrixIn, VectorOut, MatrixOut, int) const override {}
  std::unique_ptr<EvaluatedBlock> with(Points, MatrixOut k) const override {
    return std::make_unique<ZeroBlock>(k);
  }

 private:
  Index cols_;
};

class White final : public Leaf {
 public:
  explicit White(double variance) : Leaf(Vector::Constant(1, variance)) {}

  void cross(Points, Points, MatrixOut k) const override { k.setZero(); }
  std::unique_ptr<EvaluatedBlock> evaluate_block(Points, Points, MatrixOut k) const override {
    return std::make_unique<ZeroBlock>(k);
  }
  std::unique_ptr<PreparedPoints> prepare(Points) const override {
    return std::make_unique<PointFree>(*this);
  }
  void diagonal(Points, VectorOut k) const override { k.setConstant(variance()); }
  void cross_gradient(Points, Points, MatrixIn, VectorOut) const override {}
  void diagonal_gradient(Points, VectorIn g, VectorOut grad) const override {
    grad[0] += variance() * g.sum();
  }
  void input_gradient(Points, Points, MatrixIn, MatrixOut) const override {}
  void diagonal_input_gradient(Points, VectorIn, MatrixOut) const override {}
};

}  // namespace

std::unique_ptr<Kernel> make_white(const KernelSpec& spec, const InputSpace&) {
  expect_values(spec, {"variance"});
  return std::make_unique<White>(positive_value(spec, "variance"));
}

}  // namespace gpsieve
