#include "models/greedy/kernel_operator.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "linalg/products.h"
#include "models/greedy/incremental_basis.h"

namespace gpsieve {
namespace {

constexpr Index kPanelColumns = 64, kPanelRows = 1024;  // of a block: half a megabyte, in cache
constexpr double kEntriesPerPoll = 4e6;  // kernel values per thread between two polls

}  // namespace

KernelOperator::KernelOperator(const BoundKernel& kernel, double max_bytes, const Context& ctx)
    : kernel_(kernel), diagonal_(kernel.prior_variances()) {
  const Index n = kernel.size();
  if (8.0 * static_cast<double>(n) * static_cast<double>(n) > max_bytes) return;
  Matrix all(n, n);
  for_blocks(ctx, [&](Index column, Index row, MatrixIn block) {
    all.block(row, column, block.rows(), block.cols()) = block;
  });
  stored_ = std::move(all);
}

template <class Body>
void KernelOperator::for_blocks(const Context& ctx, const Body& body) const {
  const Index n = kernel_.size();
  const int threads = kernel_.kernel().usable_threads(ctx.threads);
  Indices rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  const double panel = static_cast<double>(kPanelColumns) * static_cast<double>(n);
  const Index panels = static_cast<Index>(std::max(1.0, kEntriesPerPoll / panel));
  const Index stride = kPanelColumns * panels * std::max(1, threads);
  for (Index begin = 0; begin < n; begin += stride) {
    parallel_blocks(threads, std::min(stride, n - begin), kPanelColumns, [&](Index from, Index to) {
      const Index first = begin + from, width = to - from;
      const auto columns = kernel_.select(rows.data() + first, width);
      Matrix block;
      for (Index row = 0; row < n; row += kPanelRows) {
        const Index height = std::min(kPanelRows, n - row);
        block.resize(height, width);
        columns->block(rows.data() + row, height, block);
        kernel_.apply_scales(rows.data() + row, rows.data() + first, block);
        for (Index j = std::max(first, row); j < std::min(first + width, row + height); ++j)
          block(j - row, j - first) = diagonal_(j);
        body(first, row, block);
      }
    });
    ctx.check();
  }
}

Vector KernelOperator::times(VectorIn v, const Context& ctx) const {
  Vector out = Vector::Zero(kernel_.size());
  if (stored()) {
    gemv(1.0, stored_, Op::transposed, v, 0.0, out, ctx.threads);
  } else {
    for_blocks(ctx, [&](Index column, Index row, MatrixIn block) {
      gemv(1.0, block, Op::transposed, v.segment(row, block.rows()), 1.0,
           out.segment(column, block.cols()));
    });
  }
  require_finite_kernel(out);
  return out;
}

Vector KernelOperator::column_squared_norms(const Context& ctx) const {
  Vector out = Vector::Zero(kernel_.size());
  if (stored()) {
    gpsieve::column_squared_norms(stored_, out);
    return out;
  }
  for_blocks(ctx, [&](Index column, Index, MatrixIn block) {
    Vector part(block.cols());
    gpsieve::column_squared_norms(block, part);
    out.segment(column, block.cols()) += part;
  });
  return out;
}

}  // namespace gpsieve
