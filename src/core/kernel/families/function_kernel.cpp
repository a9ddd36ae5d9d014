// A covariance function that the host computes. It has no hyper-parameters and no gradients, and is
// evaluated on the main thread only. The values that it returns are checked.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernel/factories.h"
#include "kernel/spec_values.h"

namespace gpsieve {
namespace {

constexpr Index kDiagonalBlock =
    16;  // points in a call: a block computes 16 values for each that is used
constexpr double kAsymmetryAllowed =
    1e-8;  // of the largest value: beyond rounding, it is a mistake

// Calls the function; where a value is not finite, where(i, j) says which points gave it.
template <class Where>
void evaluate(const KernelFunction& function, Points a, Points b, MatrixOut k, const Where& where) {
  if (k.size() == 0) return;
  function(a, b, k);
  for (Index j = 0; j < k.cols(); ++j)
    for (Index i = 0; i < k.rows(); ++i)
      if (!std::isfinite(k(i, j)))
        throw KernelFailure(std::string("the function returned ") +
                            (std::isnan(k(i, j)) ? "NaN" : "an infinite value") + " for " +
                            where(i, j));
}

std::string row_name(Index row) { return "row " + std::to_string(row + 1); }

// Keeps the row numbers of the data, so that an error names rows and not places in a block.
class FunctionPoints final : public PreparedPoints {
 public:
  FunctionPoints(const KernelFunction& function, Points x) : function_(function), x_(x) {}

  void block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const override {
    evaluate(function_, gather_columns(x_, a, n_a), gather_columns(x_, b, n_b), out,
             [&](Index i, Index j) { return pair_name(a[i], b[j]); });
  }
  void column(Index i, Index begin, VectorOut out) const override {
    evaluate(function_, x_.middleCols(begin, out.size()), x_.col(i), out,
             [&](Index k, Index) { return pair_name(i, begin + k); });
  }

 private:
  static std::string pair_name(Index i, Index j) {
    if (i == j) return row_name(i);
    return row_name(std::min(i, j)) + " with " + row_name(std::max(i, j));
  }

  const KernelFunction& function_;
  Eigen::Ref<const Matrix> x_;
};

class FunctionKernel final : public Kernel {
 public:
  explicit FunctionKernel(KernelFunction function) : function_(std::move(function)) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    evaluate(function_, a, b, k, [](Index i, Index j) {
      return row_name(i) + " of x and " + row_name(j) + " of z";  // fn(x, z), as the host wrote it
    });
    const bool same = a.data() == b.data() && a.cols() == b.cols();
    if (same) check_symmetric(k);
  }
  void diagonal(Points a, VectorOut k) const override {
    for (Index first = 0; first < a.cols(); first += kDiagonalBlock) {
      const Index count = std::min(kDiagonalBlock, a.cols() - first);
      Matrix block(count, count);
      evaluate(function_, a.middleCols(first, count), a.middleCols(first, count), block,
               [first](Index i, Index) { return row_name(first + i); });
      k.segment(first, count) = block.diagonal();
    }
  }
  std::unique_ptr<PreparedPoints> prepare(Points x) const override {
    return std::make_unique<FunctionPoints>(function_, x);
  }

  void cross_gradient(Points, Points, MatrixIn, VectorOut) const override {}
  void diagonal_gradient(Points, VectorIn, VectorOut) const override {}
  void input_gradient(Points, Points, MatrixIn, MatrixOut) const override { refuse_gradient(); }
  void diagonal_input_gradient(Points, VectorIn, MatrixOut) const override { refuse_gradient(); }

  Index n_params() const override { return 0; }
  Vector params() const override { return Vector(0); }
  void set_params(VectorIn log_params) override {
    if (log_params.size() != 0)
      throw InvalidSpec("kernel 'function': it has no hyper-parameters, but was given " +
                        std::to_string(log_params.size()));
  }
  bool thread_safe() const override { return false; }

 private:
  static void check_symmetric(MatrixIn k) {
    if (k.size() == 0) return;
    const double allowed = kAsymmetryAllowed * k.cwiseAbs().maxCoeff();
    for (Index j = 0; j < k.cols(); ++j)
      for (Index i = 0; i < j; ++i)
        if (std::abs(k(i, j) - k(j, i)) > allowed)
          throw KernelFailure("the function is not symmetric: rows " + std::to_string(i + 1) +
                              " and " + std::to_string(j + 1) + " give " + std::to_string(k(i, j)) +
                              " and " + std::to_string(k(j, i)));
  }
  [[noreturn]] static void refuse_gradient() {
    throw InvalidSpec("kernel 'function': it has no gradient in the inputs");
  }

  KernelFunction function_;
};

}  // namespace

std::unique_ptr<Kernel> make_function(const KernelSpec& spec, const InputSpace& inputs) {
  refuse_sparse_rows(spec, inputs);
  expect_values(spec, {});
  if (!spec.function) throw InvalidSpec("kernel 'function': the function is missing");
  return std::make_unique<FunctionKernel>(spec.function);
}

}  // namespace gpsieve
