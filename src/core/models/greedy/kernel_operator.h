// The kernel matrix K of a data set (exact diagonal) as an operator: kept where it fits, otherwise
// evaluated block by block whenever it is applied.
#ifndef GPSIEVE_MODELS_GREEDY_KERNEL_OPERATOR_H
#define GPSIEVE_MODELS_GREEDY_KERNEL_OPERATOR_H

#include "base/context.h"
#include "kernel/bound_kernel.h"

namespace gpsieve {

class KernelOperator {
 public:
  // K is kept if its 8 n^2 bytes are at most max_bytes. `kernel` must outlive this object.
  KernelOperator(const BoundKernel& kernel, double max_bytes, const Context& ctx);

  bool stored() const { return stored_.size() > 0; }
  // K v
  Vector times(VectorIn v, const Context& ctx) const;
  // |K e_j|^2 for every j.
  Vector column_squared_norms(const Context& ctx) const;

 private:
  // body(first column, first row, block of K) over all blocks; blocks of the same columns come in
  // the order of their rows, from one thread.
  template <class Body>
  void for_blocks(const Context& ctx, const Body& body) const;

  const BoundKernel& kernel_;
  Vector diagonal_;
  Matrix stored_;
};

}  // namespace gpsieve

#endif
