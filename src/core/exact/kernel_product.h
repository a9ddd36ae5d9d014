// Products of K + D from the kernel: theory.md#products-with-the-kernel-matrix.
//
// K is the kernel matrix of a data set and D the diagonal matrix of the noise. Blocks of K that fit
// into the cache are used twice, once for their rows and once for their columns. Blocks are kept
// where memory allows, and computed anew for every product otherwise. Neither that nor the number
// of threads changes a bit of a product.
#ifndef GPSIEVE_EXACT_KERNEL_PRODUCT_H
#define GPSIEVE_EXACT_KERNEL_PRODUCT_H

#include <memory>
#include <vector>

#include "exact/covariance_product.h"
#include "kernel/bound_kernel.h"

namespace gpsieve {

class KernelProduct final : public CovarianceProduct {
 public:
  // Blocks of the slices `kept` are kept, from the first row on, while they take at most max_bytes
  // together. `kernel` (of rows without scales) must outlive this object.
  KernelProduct(const BoundKernel& kernel, Vector noise, double max_bytes, const Context& ctx,
                const std::vector<SliceRange>& kept = {SliceRange{}});

  Index size() const override { return kernel_.size(); }
  // The share of the numbers of K on and below the diagonal that are kept.
  double kept_share() const;
  void multiply(MatrixIn p, MatrixOut out, const Context& ctx) const override;
  // What the slices of a range, whose number is a power of two, give to the product.
  Matrix multiply_slices(const SliceRange& range, MatrixIn p, const Context& ctx) const;

 private:
  Index panels() const { return static_cast<Index>(selected_.size()); }
  Index panel_of(Index slice, Index round) const;
  Index begin_of(Index panel) const;
  Index rows_of(Index panel) const;
  void fill_tile(Index panel, Index column, MatrixOut tile) const;
  void fill_panel(Index panel);
  void add_panel(Index panel, MatrixIn p, MatrixOut sum) const;
  int usable_threads(const Context& ctx) const;
  // body(slice, panel) for all panels of a range of at most as many slices as threads: those of a
  // slice in a fixed order, slices in parallel.
  template <class Body>
  void for_panels(const SliceRange& range, const Context& ctx, const Body& body) const;

  const BoundKernel& kernel_;
  Vector noise_, diagonal_;                                // D; the diagonal of K + D
  std::vector<std::unique_ptr<SelectedPoints>> selected_;  // the rows of each panel
  // Of a panel that is kept: its blocks on and below the diagonal, side by side.
  std::vector<Matrix> kept_;
};

}  // namespace gpsieve

#endif
