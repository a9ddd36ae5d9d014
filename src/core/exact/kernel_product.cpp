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
// Slices of the panels, each with a sum of its own. Their number is fixed, so that the order of
// additions does not depend on the number of threads.
constexpr Index kSlices = 8;

}  // namespace

Index KernelProduct::begin_of(Index panel) const { return panel * kTile; }
Index KernelProduct::rows_of(Index panel) const {
  return std::min(kTile, size() - begin_of(panel));
}

KernelProduct::KernelProduct(const BoundKernel& kernel, Vector noise, double max_bytes,
                             const Context& ctx)
    : kernel_(kernel), noise_(std::move(noise)), diagonal_(kernel.prior_variances() + noise_) {
  if (kernel.scaled()) throw InvalidSpec("a product with the kernel matrix takes no scales");
  Indices rows(size());
  std::iota(rows.begin(), rows.end(), Index{0});
  for (Index begin = 0; begin < size(); begin += kTile)
    selected_.push_back(kernel.select(rows.data() + begin, std::min(kTile, size() - begin)));
  double bytes = 0.0;
  for (Index panel = 0; panel < panels(); ++panel) {
    const Index end = begin_of(panel) + rows_of(panel);
    bytes += 8.0 * static_cast<double>(rows_of(panel)) * static_cast<double>(end);
    if (bytes > max_bytes) break;
    kept_.push_back(large_matrix(rows_of(panel), end));
  }
  if (!kept_.empty()) for_panels(ctx, [&](Index, Index panel) { fill_panel(panel); });
}

double KernelProduct::kept_share() const {
  return static_cast<double>(kept_.size()) * static_cast<double>(kept_.size() + 1) /
         (static_cast<double>(panels()) * static_cast<double>(panels() + 1));
}

// Rounds of kSlices panels go through the slices forth and back, so that every slice gets long and
// short panels.
template <class Body>
void KernelProduct::for_panels(const Context& ctx, const Body& body) const {
  const int threads = kernel_.kernel().usable_threads(std::max(1, ctx.threads));
  for (Index first = 0, round = 0; first < panels(); first += kSlices, ++round)
    for (Index from = 0; from < kSlices; from += threads) {
      const Index count = std::min<Index>(threads, kSlices - from);
      parallel_blocks(threads, count, 1, [&](Index begin, Index) {
        const Index slice = from + begin;
        const Index panel = first + (round % 2 == 0 ? slice : kSlices - 1 - slice);
        if (panel < panels()) body(slice, panel);
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
  if (panel >= static_cast<Index>(kept_.size())) return;
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
  if (panel < static_cast<Index>(kept_.size())) {
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

void KernelProduct::multiply(MatrixIn p, MatrixOut out, const Context& ctx) const {
  const Index slices = std::min<Index>(kSlices, panels()), columns = p.cols();
  ScratchMatrix sums(size(), slices * columns);
  sums.setZero();
  for_panels(ctx, [&](Index slice, Index panel) {
    add_panel(panel, p, sums.middleCols(slice * columns, columns));
  });
  out = sums.leftCols(columns);
  for (Index slice = 1; slice < slices; ++slice) out += sums.middleCols(slice * columns, columns);
  if (!out.allFinite()) throw NumericalFailure("the kernel matrix is not finite");
}

}  // namespace gpsieve
