#include "kernel/families/algebra.h"

#include <algorithm>

#include "base/error.h"
#include "kernel/factories.h"
#include "kernel/spec_values.h"
#include "linalg/scratch_matrix.h"

namespace gpsieve {

Composite::Composite(const KernelSpec& spec, const InputSpace& inputs) {
  expect_values(spec, {});
  if (spec.children.empty())
    throw InvalidSpec("kernel '" + spec.type + "': there must be at least one child, found none");
  for (const auto& child : spec.children) children_.push_back(make_kernel(child, inputs));
}

Index Composite::n_params() const {
  Index total = 0;
  for (const auto& child : children_) total += child->n_params();
  return total;
}

Vector Composite::params() const {
  Vector all(n_params());
  for_each_child(all, [this](Index c, VectorOut own) { own = child(c).params(); });
  return all;
}

void Composite::set_params(VectorIn log_params) {
  if (log_params.size() != n_params())
    throw InvalidSpec("a kernel with " + std::to_string(n_params()) +
                      " hyper-parameters was given " + std::to_string(log_params.size()));
  Index first = 0;
  for (const auto& child : children_) {
    child->set_params(log_params.segment(first, child->n_params()));
    first += child->n_params();
  }
}

std::vector<std::unique_ptr<PreparedPoints>> Composite::prepare_children(Points x) const {
  std::vector<std::unique_ptr<PreparedPoints>> prepared;
  for (const auto& child : children_) prepared.push_back(child->prepare(x));
  return prepared;
}

bool Composite::thread_safe() const {
  return std::all_of(children_.begin(), children_.end(),
                     [](const auto& child) { return child->thread_safe(); });
}

namespace {

// The children's prepared points, combined entry by entry.
template <class Combine>
class CompositePoints final : public PreparedPoints {
 public:
  explicit CompositePoints(std::vector<std::unique_ptr<PreparedPoints>> children)
      : children_(std::move(children)) {}

  void block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const override {
    children_[0]->block(a, n_a, b, n_b, out);
    Matrix term(children_.size() > 1 ? out.rows() : 0, out.cols());
    for (std::size_t c = 1; c < children_.size(); ++c) {
      children_[c]->block(a, n_a, b, n_b, term);
      Combine::apply(out, term);
    }
  }
  void column(Index i, Index begin, VectorOut out) const override {
    children_[0]->column(i, begin, out);
    Vector term(children_.size() > 1 ? out.size() : 0);
    for (std::size_t c = 1; c < children_.size(); ++c) {
      children_[c]->column(i, begin, term);
      Combine::apply(out, term);
    }
  }

  std::unique_ptr<SelectedPoints> select(const Index* b, Index n_b) const override {
    std::vector<std::unique_ptr<SelectedPoints>> selected;
    for (const auto& child : children_) selected.push_back(child->select(b, n_b));
    return std::make_unique<Selected>(std::move(selected));
  }

 private:
  class Selected final : public SelectedPoints {
   public:
    explicit Selected(std::vector<std::unique_ptr<SelectedPoints>> children)
        : children_(std::move(children)) {}
    void block(const SelectedPoints& a, MatrixOut out) const override {
      const auto& others = static_cast<const Selected&>(a).children_;
      combine(out, [&](std::size_t c, MatrixOut k) { children_[c]->block(*others[c], k); });
    }
    void block(const Index* a, Index n_a, MatrixOut out) const override {
      combine(out, [&](std::size_t c, MatrixOut k) { children_[c]->block(a, n_a, k); });
    }

   private:
    template <class ChildBlock>
    void combine(MatrixOut out, const ChildBlock& child_block) const {
      child_block(0, out);
      Matrix term(children_.size() > 1 ? out.rows() : 0, out.cols());
      for (std::size_t c = 1; c < children_.size(); ++c) {
        child_block(c, term);
        Combine::apply(out, term);
      }
    }

    std::vector<std::unique_ptr<SelectedPoints>> children_;
  };

  std::vector<std::unique_ptr<PreparedPoints>> children_;
};

struct Add {
  static void apply(MatrixOut total, MatrixIn term) { total += term; }
};
struct Multiply {
  static void apply(MatrixOut total, MatrixIn factor) { total.array() *= factor.array(); }
};

// The values of all children, combined entry by entry.
template <class Combine>
class Combined : public Composite {
 public:
  Combined(const KernelSpec& spec, const InputSpace& inputs) : Composite(spec, inputs) {}

  std::unique_ptr<PreparedPoints> prepare(Points x) const final {
    return std::make_unique<CompositePoints<Combine>>(prepare_children(x));
  }

  void cross(Points a, Points b, MatrixOut k) const final {
    child(0).cross(a, b, k);
    ScratchMatrix term(count() > 1 ? k.rows() : 0, k.cols());
    for (Index c = 1; c < count(); ++c) {
      child(c).cross(a, b, term);
      Combine::apply(k, term);
    }
  }
  void diagonal(Points a, VectorOut k) const final {
    child(0).diagonal(a, k);
    Vector term(k.size());
    for (Index c = 1; c < count(); ++c) {
      child(c).diagonal(a, term);
      Combine::apply(k, term);
    }
  }
};

// The blocks of a sum's children, which share their weights and their gradient by the inputs.
class SumBlock final : public EvaluatedBlock {
 public:
  // evaluate(c, k) makes the block of child c, which has n_params[c] parameters, and its values.
  template <class Evaluate>
  SumBlock(Indices n_params, const Evaluate& evaluate, MatrixOut k)
      : n_params_(std::move(n_params)) {
    children_.push_back(evaluate(0, k));
    ScratchMatrix term(n_params_.size() > 1 ? k.rows() : 0, k.cols());
    for (std::size_t c = 1; c < n_params_.size(); ++c) {
      children_.push_back(evaluate(c, term));
      k += term;
    }
  }
  Index cols() const override { return children_[0]->cols(); }
  void add_gradients_of(const Row& row, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                        int threads) const override {
    Index first = 0;
    for (std::size_t c = 0; c < children_.size(); first += n_params_[c++]) {
      Row of_child;
      for (const EvaluatedBlock* block : row)
        of_child.push_back(static_cast<const SumBlock*>(block)->children_[c].get());
      children_[c]->add_gradients_of(of_child, g, grad.segment(first, n_params_[c]), grad_a,
                                     threads);
    }
  }
  std::unique_ptr<EvaluatedBlock> with(Points b, MatrixOut k) const override {
    const auto of_child = [&](std::size_t c, MatrixOut own) { return children_[c]->with(b, own); };
    return std::make_unique<SumBlock>(n_params_, of_child, k);
  }

 private:
  Indices n_params_;
  std::vector<std::unique_ptr<EvaluatedBlock>> children_;
};

class SumKernel final : public Combined<Add> {
 public:
  using Combined::Combined;

  std::unique_ptr<EvaluatedBlock> evaluate_block(Points a, Points b, MatrixOut k) const override {
    Indices n_params;
    for (Index c = 0; c < count(); ++c) n_params.push_back(child(c).n_params());
    const auto of_child = [&](std::size_t c, MatrixOut own) {
      return child(static_cast<Index>(c)).evaluate_block(a, b, own);
    };
    return std::make_unique<SumBlock>(std::move(n_params), of_child, k);
  }

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    for_each_child(grad, [&](Index c, VectorOut own) { child(c).cross_gradient(a, b, g, own); });
  }
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const override {
    for_each_child(grad, [&](Index c, VectorOut own) { child(c).diagonal_gradient(a, g, own); });
  }
  void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const override {
    for (Index c = 0; c < count(); ++c) child(c).input_gradient(a, b, g, grad_b);
  }
  void gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                 MatrixOut grad_b) const override {
    for_each_child(
        grad, [&](Index c, VectorOut own) { child(c).gradients(a, b, g, own, grad_a, grad_b); });
  }
  void diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const override {
    for (Index c = 0; c < count(); ++c) child(c).diagonal_input_gradient(a, g, grad_a);
  }
};

// The derivative in one factor is weighted by the values of the others, which are computed anew
// for each: with two factors, by far the most common case, nothing is computed twice.
class ProductKernel final : public Combined<Multiply> {
 public:
  using Combined::Combined;

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    for_each_child(grad, [&](Index c, VectorOut own) {
      if (own.size() > 0) child(c).cross_gradient(a, b, others(c, a, b, g), own);
    });
  }
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const override {
    for_each_child(grad, [&](Index c, VectorOut own) {
      if (own.size() > 0) child(c).diagonal_gradient(a, others(c, a, g), own);
    });
  }
  void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const override {
    for (Index c = 0; c < count(); ++c) child(c).input_gradient(a, b, others(c, a, b, g), grad_b);
  }
  void gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                 MatrixOut grad_b) const override {
    for_each_child(grad, [&](Index c, VectorOut own) {
      child(c).gradients(a, b, others(c, a, b, g), own, grad_a, grad_b);
    });
  }
  void diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const override {
    for (Index c = 0; c < count(); ++c)
      child(c).diagonal_input_gradient(a, others(c, a, g), grad_a);
  }

 private:
  // g times the values of all children but one.
  Matrix others(Index one, Points a, Points b, MatrixIn g) const {
    Matrix weights = g, factor(g.rows(), g.cols());
    for (Index c = 0; c < count(); ++c) {
      if (c == one) continue;
      child(c).cross(a, b, factor);
      weights.array() *= factor.array();
    }
    return weights;
  }
  Vector others(Index one, Points a, VectorIn g) const {
    Vector weights = g, factor(g.size());
    for (Index c = 0; c < count(); ++c) {
      if (c == one) continue;
      child(c).diagonal(a, factor);
      weights.array() *= factor.array();
    }
    return weights;
  }
};

}  // namespace

std::unique_ptr<Kernel> make_sum(const KernelSpec& spec, const InputSpace& inputs) {
  return std::make_unique<SumKernel>(spec, inputs);
}

std::unique_ptr<Kernel> make_product(const KernelSpec& spec, const InputSpace& inputs) {
  return std::make_unique<ProductKernel>(spec, inputs);
}

}  // namespace gpsieve
