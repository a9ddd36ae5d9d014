#include "exact/kernel_product.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/large_pages.h"
#include "base/parallel.h"
#include "linalg/products.h"
#include "linalg/scratch_matrix.h"

namespace gpsieve {
namespace {

constexpr Index kTile = 256;  // rows and columns of a block: half a megabyte

}  // namespace

Index KernelProduct::begin_of(Index panel) const { return panel * kTile; }
Index KernelProduct::rows_of(Index panel) const {
  return std::min(kTile, size() - begin_of(panel));
}

// Rounds of as many panels as slices, longest panels first, go through the slices forth and back,
// so that every slice gets long and short panels. Negative where the last round has no panel left.
Index KernelProduct::panel_of(Index slice, Index round) const {
  const Index place = round % 2 == 0 ? slice : kProductSlices - 1 - slice;
  return panels() - 1 - (round * kProductSlices + place);
}

int KernelProduct::usable_threads(const Context& ctx) const {
  return kernel_.kernel().usable_threads(std::max(1, ctx.threads));
}

KernelProduct::KernelProduct(const BoundKernel& kernel, Vector noise, double max_bytes,
                             const Context& ctx, const std::vector<SliceRange>& kept)
    : kernel_(kernel), noise_(std::move(noise)), diagonal_(kernel.prior_variances() + noise_) {
  if (kernel.scaled()) throw InvalidSpec("a product with the kernel matrix takes no scales");
  Indices rows(size());
  std::iota(rows.begin(), rows.end(), Index{0});
  for (Index begin = 0; begin < size(); begin += kTile)
    selected_.push_back(kernel.select(rows.data() + begin, std::min(kTile, size() - begin)));
  kept_.resize(selected_.size());
  std::vector<bool> wanted(selected_.size());
  for (const SliceRange& range : kept)
    for (Index slice = range.first; slice < range.first + range.count; ++slice)
      for (Index round = 0; panel_of(slice, round) >= 0; ++round)
        wanted[panel_of(slice, round)] = true;
  double bytes = 0.0;
  for (Index panel = 0; panel < panels(); ++panel) {
    if (!wanted[panel]) continue;
    const Index end = begin_of(panel) + rows_of(panel);
    bytes += 8.0 * static_cast<double>(rows_of(panel)) * static_cast<double>(end);
    if (bytes > max_bytes) break;
    kept_[panel] = large_matrix(rows_of(panel), end);
  }
  const Index threads = usable_threads(ctx);
  for (Index first = 0; first < kProductSlices; first += threads)
    for_panels({first, std::min(threads, kProductSlices - first)}, ctx,
               [&](Index, Index panel) { fill_panel(panel); });
}

double KernelProduct::kept_share() const {
  double kept = 0.0, all = 0.0;
  for (Index panel = 0; panel < panels(); ++panel) {
    all += static_cast<double>(rows_of(panel) * (begin_of(panel) + rows_of(panel)));
    kept += static_cast<double>(kept_[panel].size());
  }
  return kept / all;
}

template <class Body>
void KernelProduct::for_panels(const SliceRange& range, const Context& ctx,
                               const Body& body) const {
  for (Index round = 0; round * kProductSlices < panels(); ++round) {
    parallel_blocks(usable_threads(ctx), range.count, 1, [&](Index slice, Index) {
      const Index panel = panel_of(range.first + slice, round);
      if (panel >= 0) body(range.first + slice, panel);
    });
    ctx.check();
  }
}

// The block of a panel's rows and the rows of panel `column`, at most as far down.
void KernelProduct::fill_tile(Index panel, Index column, MatrixOut tile) const {
  selected_[column]->block(*selected_[panel], tile);
  if (column < panel) return;
  symmetrise_from_lower(tile);
  tile.diagonal() = diagonal_.segment(begin_of(panel), tile.rows());
}

void KernelProduct::fill_panel(Index panel) {
  if (kept_[panel].size() == 0) return;
  for (Index column = 0; column <= panel; ++column)
    fill_tile(panel, column, kept_[panel].middleCols(begin_of(column), rows_of(column)));
}

void KernelProduct::add_panel(Index panel, MatrixIn p, MatrixOut sum) const {
  const Index row = begin_of(panel), rows = rows_of(panel);
  const auto use = [&](Index column, MatrixIn tile) {
    const Index from = begin_of(column), columns = rows_of(column);
    gemm(1.0, tile, Op::plain, p.middleRows(from, columns), Op::plain, 1.0,
         sum.middleRows(row, rows));
    if (column < panel)
      gemm(1.0, tile, Op::transposed, p.middleRows(row, rows), Op::plain, 1.0,
           sum.middleRows(from, columns));
  };
  if (kept_[panel].size() > 0) {
    for (Index column = 0; column <= panel; ++column)
      use(column, kept_[panel].middleCols(begin_of(column), rows_of(column)));
    return;
  }
  ScratchMatrix memory(rows, kTile);
  for (Index column = 0; column <= panel; ++column) {
    auto tile = memory.leftCols(rows_of(column));
    fill_tile(panel, column, tile);
    use(column, tile);
  }
}

Matrix KernelProduct::multiply_slices(const SliceRange& range, MatrixIn p,
                                      const Context& ctx) const {
  PairwiseSum sum;
  const Index threads = usable_threads(ctx), end = range.first + range.count;
  for (Index first = range.first; first < end; first += threads) {
    const Index count = std::min(threads, end - first);
    std::vector<Matrix> terms(count);
    for (Matrix& term : terms) term = large_zero_matrix(size(), p.cols());
    for_panels({first, count}, ctx,
               [&](Index slice, Index panel) { add_panel(panel, p, terms[slice - first]); });
    for (Matrix& term : terms) sum.add(std::move(term));
  }
  Matrix& total = sum.total();
  if (!total.allFinite()) throw NumericalFailure("the kernel matrix is not finite");
  return std::move(total);
}

void KernelProduct::multiply(MatrixIn p, MatrixOut out, const Context& ctx) const {
  out = multiply_slices(SliceRange{}, p, ctx);
}

}  // namespace gpsieve
