// Products of K + D with several vectors: theory.md#products-with-the-kernel-matrix.
//
// K is the kernel matrix of a data set and D the diagonal matrix of the noise. Blocks of K that fit
// into the cache are used twice, once for their rows and once for their columns. Blocks are kept
// where memory allows, and computed anew for every product otherwise. Neither that nor the number
// of threads changes a bit of a product.
#ifndef GPSIEVE_EXACT_KERNEL_PRODUCT_H
#define GPSIEVE_EXACT_KERNEL_PRODUCT_H

#include <memory>
#include <vector>

#include "base/context.h"
#include "kernel/bound_kernel.h"

namespace gpsieve {

class KernelProduct {
 public:
  // Blocks of K are kept from the first row on while they take at most max_bytes together. `kernel`
  // (of rows without scales) must outlive this object.
  KernelProduct(const BoundKernel& kernel, Vector noise, double max_bytes, const Context& ctx);

  Index size() const { return kernel_.size(); }
  // The share of the blocks that are kept.
  double kept_share() const;
  // out = (K + D) p. Throws NumericalFailure where K is not finite.
  void multiply(MatrixIn p, MatrixOut out, const Context& ctx) const;

 private:
  Index panels() const { return static_cast<Index>(selected_.size()); }
  Index begin_of(Index panel) const;
  Index rows_of(Index panel) const;
  void fill_tile(Index panel, Index column, MatrixOut tile) const;
  void fill_panel(Index panel);
  void add_panel(Index panel, MatrixIn p, MatrixOut sum) const;
  // body(slice, panel) for all panels: those of a slice in a fixed order, slices in parallel.
  template <class Body>
  void for_panels(const Context& ctx, const Body& body) const;

  const BoundKernel& kernel_;
  Vector noise_, diagonal_;                                // D; the diagonal of K + D
  std::vector<std::unique_ptr<SelectedPoints>> selected_;  // the rows of each panel
  std::vector<Matrix> kept_;  // of a panel: its blocks on and below the diagonal, side by side
};

}  // namespace gpsieve

#endif
