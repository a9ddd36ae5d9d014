// A kernel of mixed inputs: its child sees w_d = x_d + sum_c m_cd x_c in place of x_d (theory.md
// (24)).
#include "base/error.h"
#include "kernel/factories.h"
#include "kernel/mapped_inputs.h"
#include "kernel/spec_values.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

class Mixed final : public MappedInputs {
 public:
  Mixed(std::unique_ptr<Kernel> child, Indices dims, const Vector& weights)
      : MappedInputs(std::move(child)),
        dims_(std::move(dims)),
        mix_(Matrix::Zero(count(), count())) {
    set_own(weights);
  }

 private:
  Index count() const { return static_cast<Index>(dims_.size()); }

  // The weights are added to the inputs themselves, so that weights of 0 leave their bits.
  Matrix mapped(Points x) const override {
    Matrix out = x;
    Matrix more(count(), x.cols());
    gemm(1.0, mix_, Op::transposed, picked(x), Op::plain, 0.0, more);
    for (Index d = 0; d < count(); ++d) out.row(dims_[d]) += more.row(d);
    return out;
  }

  // The weights of the other inputs in the first mixed input, in the second, and so on.
  Index n_own() const override { return count() * (count() - 1); }
  Vector own() const override {
    Vector all(n_own());
    for_each_weight([&](Index at, Index c, Index d) { all[at] = mix_(c, d); });
    return all;
  }
  void set_own(VectorIn own) override {
    if (!own.allFinite()) throw NumericalFailure("the mix of inputs left the range of numbers");
    for_each_weight([&](Index at, Index c, Index d) { mix_(c, d) = own[at]; });
  }
  void add_own(Points x, const Matrix& by_mapped, VectorOut grad) const override {
    Matrix by_mix(count(), count());
    gemm(1.0, picked(x), Op::plain, picked(by_mapped), Op::transposed, 0.0, by_mix);
    for_each_weight([&](Index at, Index c, Index d) { grad[at] += by_mix(c, d); });
  }
  void add_inputs(Points, const Matrix& by_mapped, MatrixOut grad) const override {
    grad += by_mapped;
    Matrix more(count(), by_mapped.cols());
    gemm(1.0, mix_, Op::plain, picked(by_mapped), Op::plain, 0.0, more);
    for (Index d = 0; d < count(); ++d) grad.row(dims_[d]) += more.row(d);
  }

  Matrix picked(Points x) const {
    Matrix rows(count(), x.cols());
    for (Index d = 0; d < count(); ++d) rows.row(d) = x.row(dims_[d]);
    return rows;
  }
  template <class Body>
  void for_each_weight(const Body& body) const {
    Index at = 0;
    for (Index d = 0; d < count(); ++d)
      for (Index c = 0; c < count(); ++c)
        if (c != d) body(at++, c, d);
  }

  Indices dims_;
  Matrix mix_;  // of row c of `dims_` in row d; the diagonal is 0
};

}  // namespace

std::unique_ptr<Kernel> make_mixed(const KernelSpec& spec, const InputSpace& inputs) {
  refuse_sparse_rows(spec, inputs);
  expect_values(spec, {"mixing"});
  expect_child_and_dims(spec, inputs);
  const Index count = static_cast<Index>(spec.dims.size());
  return std::make_unique<Mixed>(make_kernel(spec.children[0], inputs), spec.dims,
                                 finite_values(spec, "mixing", count * (count - 1)));
}

}  // namespace gpsieve
