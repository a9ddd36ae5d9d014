// What sums and products share: a list of children whose hyper-parameters stand one after another.
#ifndef GPSIEVE_KERNEL_FAMILIES_ALGEBRA_H
#define GPSIEVE_KERNEL_FAMILIES_ALGEBRA_H

#include "kernel/kernel.h"

namespace gpsieve {

class Composite : public Kernel {
 public:
  Index n_params() const override;
  Vector params() const override;
  void set_params(VectorIn log_params) override;
  bool thread_safe() const override;

 protected:
  // Throws InvalidSpec unless there are children and nothing else.
  Composite(const KernelSpec& spec, const InputSpace& inputs);

  Index count() const { return static_cast<Index>(children_.size()); }
  const Kernel& child(Index c) const { return *children_[c]; }
  std::vector<std::unique_ptr<PreparedPoints>> prepare_children(Points x) const;
  // Calls visit(c, the part of grad that belongs to child c).
  template <class Visit>
  void for_each_child(VectorOut grad, const Visit& visit) const {
    Index first = 0;
    for (Index c = 0; c < count(); ++c) {
      visit(c, grad.segment(first, child(c).n_params()));
      first += child(c).n_params();
    }
  }

 private:
  std::vector<std::unique_ptr<Kernel>> children_;
};

}  // namespace gpsieve

#endif
